#include "input/field.h"
#include "input/vocabulary.h"
#include "wings/megatron/keys.h"

/* Megatron's keys in the sections of front ends. */

const char megatron_degree_names[] =
	"tensor_model_parallel_size|pipeline_model_parallel_size|"
	"virtual_pipeline_model_parallel_size|context_parallel_size|expert_model_parallel_size|"
	"expert_tensor_parallel_size|sequence_parallel";

const char megatron_transformer_names[] =
	"tp_comm_overlap|overlap_p2p_comm|cp_comm_type|hierarchical_context_parallel_sizes|"
	"moe_token_dispatcher_type|moe_router_load_balancing_type|"
	"microbatch_group_size_per_vp_stage|pipeline_model_parallel_layout|"
	"num_layers_in_first_pipeline_stage|num_layers_in_last_pipeline_stage|bf16|fp16|fp8|fp4|"
	"recompute_granularity|recompute_method|recompute_num_layers|recompute_modules|"
	"deterministic_mode|"
	"attention_backend|num_layers|hidden_size|num_attention_heads|kv_channels|"
	"ffn_hidden_size|mtp_num_layers|moe_ffn_hidden_size|moe_router_topk|"
	"moe_shared_expert_intermediate_size|num_moe_experts|q_lora_rank|kv_lora_rank|"
	"qk_head_dim|qk_pos_emb_head_dim|v_head_dim";

static bool is_in(const struct megatron_section *section, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(section->names) / sizeof(section->names[0]); i++)
		if (section->names[i] && words_have(section->names[i], name))
			return true;
	return false;
}

void megatron_vocabulary_in(struct vocabulary *vocabulary, const struct megatron_section *sections,
			    size_t count)
{
	struct vocabulary all = { .arena = vocabulary->arena };
	size_t i, k;

	megatron_vocabulary(&all, "", "");
	for (k = 0; k < count; k++)
		for (i = 0; i < all.keys.count; i++) {
			struct vocabulary_key key = all.keys.items[i];
			if (!is_in(&sections[k], key.path))
				continue;
			key.path = arena_join(vocabulary->arena, sections[k].map, ".", key.path);
			vocabulary_add(vocabulary, &key);
		}
}
