#include "input/foreign_keys.h"

#include "input/field.h"
#include "wings/torchtitan/keys.h"

#include <string.h>

/* What other tools call our degrees. */
struct foreign {
	const char *key, *owner, *ours;
};

static const struct foreign foreigners[] = {
	{ "tensor_model_parallel_size", "Megatron", "parallelism.tp" },
	{ "pipeline_model_parallel_size", "Megatron", "parallelism.pp" },
	{ "context_parallel_size", "Megatron", "parallelism.cp" },
	{ "expert_model_parallel_size", "Megatron", "parallelism.ep" },
	{ "expert_tensor_parallel_size", "Megatron", "parallelism.etp" },
	{ "micro_batch_size", "Megatron", "training.micro_batch_size" },
	{ "global_batch_size", "Megatron", "training.global_batch_size" },
	{ "num_layers", "Megatron", "model.layers" },
	{ "hidden_size", "Megatron", "model.hidden" },
	{ "num_attention_heads", "Megatron", "model.heads" },
	{ "num_query_groups", "Megatron", "model.kv_heads" },
	{ "seq_length", "Megatron", "training.seq_len" },
	{ "tensor_parallel_dim", "torchtune", "parallelism.tp" },
	{ "context_parallel_dim", "torchtune", "parallelism.cp" },
	{ "data_parallel_shard_dim", "torchtune", "parallelism.dp_shard" },
	{ "data_parallel_replicate_dim", "torchtune", "parallelism.dp_replicate" },
	{ "tp_size", "accelerate", "parallelism.tp" },
	{ "cp_size", "accelerate", "parallelism.cp" },
	{ "pp_size", "Automodel", "parallelism.pp" },
	{ "ep_size", "Automodel", "parallelism.ep" },
	{ "dp_shard_size", "accelerate", "parallelism.dp_shard" },
	{ "dp_replicate_size", "accelerate", "parallelism.dp_replicate" },
	{ "tensor_parallel_size", "axolotl", "parallelism.tp" },
	{ "model_parallel_size", "gpt-neox", "parallelism.tp" },
	{ "pipe_parallel_size", "gpt-neox", "parallelism.pp" },
	{ "world_size", "torch.distributed", "world" },
	{ "num_processes", "accelerate", "launch.processes" },
	{ "num_machines", "accelerate", "launch.nodes" },
	{ "nproc_per_node", "torchrun", "launch.processes_per_node" },
	{ "nnodes", "torchrun", "launch.nodes" },
	{ "per_device_train_batch_size", "transformers", "training.micro_batch_size" },
	{ "train_micro_batch_size_per_gpu", "DeepSpeed", "training.micro_batch_size" },
	{ "train_batch_size", "DeepSpeed", "training.global_batch_size" },
	{ "batch_accumulation_per_replica", "nanotron", "training.gradient_accumulation_steps" },
	{ "ckpt_format", "Megatron", "checkpoint.format" },
};

const char *foreign_name(struct arena *arena, const char *leaf, const char **owner)
{
	enum field_id field = titan_field_of_leaf(leaf);
	const char *dot;
	size_t i;

	dot = field != FIELD_COUNT ? strrchr(field_of(field)->key, '.') : NULL;
	if (field != FIELD_COUNT && strcmp(dot ? dot + 1 : field_of(field)->key, leaf) != 0) {
		*owner = "TorchTitan";
		return field_of(field)->key;
	}
	for (i = 0; i < sizeof(foreigners) / sizeof(foreigners[0]); i++)
		if (!strcmp(foreigners[i].key, leaf)) {
			*owner = foreigners[i].owner;
			return arena_strdup(arena, foreigners[i].ours);
		}
	return NULL;
}
