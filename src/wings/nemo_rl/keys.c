#include "wings/nemo_rl/keys.h"

#include "input/keys.h"
#include "input/kinds.h"

/*
 * NVIDIA-NeMo/RL@7ea279ab: maps are TypedDicts of a model of pydantic's, which drops what they do
 * not have without a word (models/policy/__init__.py, distributed/virtual_cluster.py).
 */

static const char *const policy[] = {
	"model_name",
	"tokenizer",
	"train_global_batch_size",
	"train_micro_batch_size",
	"logprob_batch_size",
	"logprob_chunk_size",
	"generation",
	"generation_batch_size",
	"precision",
	"reward_model_cfg",
	"dtensor_cfg",
	"automodel_cfg",
	"megatron_cfg",
	"draft",
	"pretrained_checkpoint",
	"router_replay",
	"hf_config_overrides",
	"dynamic_batching",
	"sequence_packing",
	"make_sequence_length_divisible_by",
	"max_total_sequence_length",
	"max_grad_norm",
	"refit_buffer_size_gb",
	"optimizer",
	"scheduler",
	"quant_cfg",
	"quant_calib_data",
	"quant_calib_size",
	"quant_batch_size",
	"quant_sequence_length",
	"disable_modelopt_layer_spec",
	"is_vlm",
	"offload_optimizer_for_logprob",
	"activation_checkpointing_enabled",
	"dequantize_base_checkpoint",
	"training_backend",
	"fsdp_offload_enabled",
};

static const char *const dtensor[] = {
	"enabled",
	"_v2",
	"env_vars",
	"tensor_parallel_size",
	"context_parallel_size",
	"expert_parallel_size",
	"dp_replicate_size",
	"sequence_parallel",
	"activation_checkpointing",
	"cpu_offload",
	"custom_parallel_plan",
	"defer_fsdp_grad_sync",
	"moe_parallelizer",
	"lora_cfg",
	"automodel_kwargs",
	"clear_cache_every_n_steps",
};

static const char *const cluster[] = {
	"num_nodes",	"gpus_per_node", "master_port_range_low", "master_port_range_high",
	"segment_size",
};

static const char *const packs[] = {
	"enabled",   "train_mb_tokens",	      "logprob_mb_tokens",
	"algorithm", "sequence_length_round", "microbatch_order",
	"fuse_loss",
};

#define NAMES(names) names, sizeof(names) / sizeof((names)[0])

static const struct {
	const char *path;
	const char *const *names;
	size_t count;
} maps[] = {
	{ "policy", NAMES(policy) },
	{ "policy.dtensor_cfg", NAMES(dtensor) },
	{ "policy.automodel_cfg", NAMES(dtensor) },
	{ "policy.sequence_packing", NAMES(packs) },
	{ "policy.dynamic_batching", NAMES(packs) },
	{ "cluster", NAMES(cluster) },
};

#define WHY "pydantic refuses it"
static const struct key_kind kinds[] = {
	{ "policy.dtensor_cfg.enabled", KIND_FLAG, NULL, WHY },
	{ "policy.automodel_cfg.enabled", KIND_FLAG, NULL, WHY },
	{ "policy.megatron_cfg.enabled", KIND_FLAG, NULL, WHY },
	{ "policy.dynamic_batching.enabled", KIND_FLAG, NULL, WHY },
	{ "policy.generation.colocated.enabled", KIND_FLAG, NULL, WHY },
	{ "checkpointing.enabled", KIND_FLAG, NULL, WHY },
};

void nemo_rl_keys(struct decoder *decoder, const struct node *root)
{
	size_t i;

	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		keys_near(decoder, node_find(root, maps[i].path), maps[i].names, maps[i].count,
			  "NeMo-RL", "silently ignores it");
	keys_kinds(decoder, root, kinds, sizeof(kinds) / sizeof(kinds[0]));
}
