#include "base/text.h"
#include "input/launch/form.h"

#include <string.h>

/* OpenRLHF's programs; flags had no sections before 0.9, and have now: --ds.zero_stage. */

static const struct {
	const char *before, *now, *key;
} flags[] = {
	{ "pretrain", "model.model_name_or_path", "model" },
	{ "pretrain", "actor.model_name_or_path", "model" },
	{ "zero_stage", "ds.zero_stage", "zero_stage" },
	{ "micro_train_batch_size", "train.micro_batch_size", "micro_batch_size" },
	{ "train_batch_size", "train.batch_size", "batch_size" },
	{ "max_len", "data.max_len", "max_len" },
	{ "ring_attn_size", "ds.ring_attn_size", "ring_attn_size" },
	{ "ds_tensor_parallel_size", "ds.tensor_parallel_size", "tensor_parallel_size" },
	{ "bf16", "ds.bf16", "bf16" },
	{ "param_dtype", "ds.param_dtype", "param_dtype" },
	{ "attn_implementation", "ds.attn_implementation", "attn_implementation" },
	{ "lora_rank", "ds.lora.rank", "lora_rank" },
	{ "gradient_checkpointing", "train.gradient_checkpointing", "gradient_checkpointing" },
	{ "model.gradient_checkpointing", "actor.gradient_checkpointing",
	  "gradient_checkpointing" },
	{ "model.gradient_checkpointing_enable", "actor.gradient_checkpointing_enable",
	  "gradient_checkpointing" },
	{ "experts_implementation", "ds.experts_implementation", "experts_implementation" },
	{ "adam_offload", "ds.adam_offload", "adam_offload" },
	{ "optim", "optim", "optim" },
	{ "packing_samples", "ds.packing_samples", "packing_samples" },
	{ "use_liger_kernel", "ds.use_liger_kernel", "use_liger_kernel" },
	{ "overlap_comm", "ds.overlap_comm", "overlap_comm" },
	{ "zpg", "ds.zpg", "zpg" },
	{ "grad_accum_dtype", "ds.grad_accum_dtype", "grad_accum_dtype" },
	{ "deepcompile", "ds.deepcompile", "deepcompile" },
	{ "load_in_4bit", "ds.load_in_4bit", "load_in_4bit" },
	{ "ref_offload", "ref.offload", "ref_offload" },
	{ "ref_pretrain", "ref.model_name_or_path", "ref_model" },
	{ "vllm_tensor_parallel_size", "vllm.tensor_parallel_size",
	  "rollout_tensor_parallel_size" },
	{ "optim", "actor.optim", "optim" },
	{ "critic.optim", "critic.optim", "critic_optim" },
	{ "advantage_estimator", "algo.advantage.estimator", "advantage_estimator" },
	{ "kl_estimator", "algo.kl.estimator", "kl_estimator" },
	{ "policy_loss_type", "actor.policy_loss_type", "policy_loss_type" },
};

static const struct {
	const char *before, *now, *key;
	const char *otherwise;
} actor[] = {
	{ "actor_num_nodes", "actor.num_nodes", "actor_nodes", "1" },
	{ "actor_num_gpus_per_node", "actor.num_gpus_per_node", "actor_devices", "8" },
};

static int claims(const struct launch *launch)
{
	return launch_runs_below(launch, "openrlhf") && strstr(launch->program, "train_") != NULL
		       ? 70
		       : 0;
}

static bool put(struct arena *arena, struct node *root, const struct launch *launch,
		const char *before, const char *now, const char *key)
{
	return launch_put(arena, root, launch, now, key) ||
	       launch_put(arena, root, launch, before, key);
}

/* Ray makes the ranks that train: the actor's, whoever else has devices. */
static void put_actor(struct document *document, struct node *root, struct launch *launch)
{
	size_t i;

	if (!strstr(launch->program, "_ray"))
		return;
	launch_forget(launch);
	for (i = 0; i < sizeof(actor) / sizeof(actor[0]); i++) {
		const struct launch_flag otherwise = { .name = actor[i].key,
						       .value = actor[i].otherwise,
						       .span = launch->program_span };
		if (!put(document->arena, root, launch, actor[i].before, actor[i].now,
			 actor[i].key))
			node_put(document->arena, root, actor[i].key,
				 launch_scalar(document->arena, &otherwise));
	}
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	struct node *root = node_container(document->arena, NODE_MAP, document->root->span);
	size_t i;

	(void)findings;
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		put(document->arena, root, launch, flags[i].before, flags[i].now, flags[i].key);
	put_actor(document, root, launch);
	return root;
}

const struct launch_form launch_form_openrlhf = {
	.name = "OpenRLHF",
	.dialect = "openrlhf",
	.claims = claims,
	.compose = compose,
};
