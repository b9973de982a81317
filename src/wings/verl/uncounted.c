#include "input/field.h"
#include "input/settings/uncounted.h"
#include "wings/verl/keys.h"

/* verl/workers/engine, and fsdp_workers.py, megatron_workers.py, actor/dp_actor.py and
 * megatron_actor.py before v0.8.0 (verl-project/verl@1dda039b and @b178a3cd). What waits in host
 * memory between updates is counted where both do under FSDP: the last four are said where that is
 * not so. */
static const struct uncounted_row uncounted[] = {
	{ "model.tiled_mlp.enabled", "MLPs take parts of the tokens, one by one" },
	{ "actor.use_prefix_grouper", "prompts are computed once for all their answers" },
	{ "actor.entropy_coeff", "the entropy of all logits is in the loss" },
	{ "actor.entropy_from_logits_with_chunking",
	  "entropies take parts of the logits, one by one" },
	{ "actor.entropy_checkpointing", "entropies are computed again" },
	{ "actor.calculate_sum_pi_squared", "the logits are squared and summed up, too" },
	{ "actor.fsdp_config.qat.enable", "weights are quantized in each step" },
	{ "actor.megatron.qat.enable", "weights are quantized in each step" },
	{ "actor.fsdp_config.pad_to_length", "tokens of padding are computed" },
	{ "actor.pad_to_length", "tokens of padding are computed" },
	{ "actor.megatron.pad_to_length", "tokens of padding are computed" },
	{ "actor.megatron.dynamic_context_parallel", "who shares a sequence changes in each step" },
	{ "actor.optim.use_precision_aware_optimizer", "the optimizer's state may be narrower" },
	{ "actor.optim.use_layer_wise_distributed_optimizer",
	  "whole layers of the optimizer's state are shared out" },
	{ "rollout.free_cache_engine=false", "the engine keeps its memory while the actor trains" },
	{ "actor.megatron.param_offload", "parameters wait in host memory between updates" },
	{ "actor.megatron.optimizer_offload",
	  "the optimizer's state waits in host memory between updates" },
	{ "actor.fsdp_config.param_offload", "parameters wait in host memory between updates" },
	{ "actor.fsdp_config.optimizer_offload",
	  "the optimizer's state waits in host memory between updates" },
};

/* Of Megatron's engine, whose loss FSDP's has counted. */
static const struct uncounted_row mcore_uncounted[] = {
	{ "model.use_fused_kernels", "the loss is made without logits" },
};

/* What waits where both do is the engine's in settle_steps. */
void verl_uncounted(struct decoder *decoder, const struct node *root, bool megatron)
{
	const struct node *map = node_member(root, "actor_rollout_ref");
	const bool both = setting_bool(decoder->settings, FIELD_ROLLOUT_OFFLOAD, false);

	uncounted_put(decoder, map, NULL, uncounted,
		      sizeof(uncounted) / sizeof(uncounted[0]) - (both || megatron ? 2 : 0));
	if (megatron)
		uncounted_put(decoder, map, NULL, mcore_uncounted, 1);
}
