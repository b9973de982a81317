#include "wings/accelerate/words.h"

#include "input/keys.h"
#include "input/kinds.h"
#include "wings/accelerate/total.h"

#include <strings.h>

/* What the plug-in and accelerate launch take by name (utils/constants.py, utils/dataclasses.py).
 */
static const struct key_choice choices[] = {
	{ "distributed_type",
	  "NO|MULTI_CPU|MULTI_GPU|MULTI_NPU|MULTI_MLU|MULTI_SDAA|MULTI_MUSA|MULTI_XPU|MULTI_HPU|"
	  "MULTI_NEURON|DEEPSPEED|FSDP|XLA|MEGATRON_LM|TP|TPU",
	  CHOICE_CAPITALS },
	{ "fsdp_config.fsdp_sharding_strategy",
	  "FULL_SHARD|SHARD_GRAD_OP|NO_SHARD|HYBRID_SHARD|HYBRID_SHARD_ZERO2|_HYBRID_SHARD_ZERO2|1|"
	  "2|3|4|5",
	  CHOICE_CAPITALS },
	{ "fsdp_config.fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP|SIZE_BASED_WRAP|NO_WRAP",
	  CHOICE_CAPITALS },
	{ "fsdp_config.fsdp_state_dict_type",
	  "FULL_STATE_DICT|LOCAL_STATE_DICT|SHARDED_STATE_DICT|1|2|3", CHOICE_CAPITALS },
	{ "fsdp_config.fsdp_backward_prefetch", "BACKWARD_PRE|BACKWARD_POST|NO_PREFETCH|1|2",
	  CHOICE_CAPITALS },
};

/*
 * `accelerate launch` makes arguments of what are maps (commands/launch.py@16cb6eb8); torchrun
 * wants a worker on each machine at least (torch/distributed/elastic/agent/server/api.py,
 * WorkerSpec). num_processes -1 has words of its own.
 */
#define DROPPED "accelerate launch takes nothing from it, and prints nothing"
static const struct key_kind kinds[] = {
	{ "fsdp_config", KIND_MAP, NULL, DROPPED },
	{ "deepspeed_config", KIND_MAP, NULL, DROPPED },
	{ "parallelism_config", KIND_MAP, NULL, DROPPED },
	{ "num_processes", KIND_NUMBER, "-1..", "torchrun starts no fewer than one worker" },
};

void accelerate_choose(struct decoder *decoder, const struct node *root)
{
	keys_choose(decoder, root, choices, sizeof(choices) / sizeof(choices[0]));
	keys_kinds(decoder, root, kinds, sizeof(kinds) / sizeof(kinds[0]));
}

bool accelerate_is_switch(const char *word)
{
	static const char *const words[] = { "true",  "yes", "on",  "t", "y", "1",
					     "false", "no",  "off", "f", "n", "0" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(words[i], word))
			return true;
	return false;
}
