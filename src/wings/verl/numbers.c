#include "wings/verl/keys.h"

#include "input/keys.h"
#include "input/kinds.h"

#define LOADER "torch's DataLoader takes no fewer than one"

#define TRUTH "Python takes any word for true"

/* trainer/ppo/ray_trainer.py, utils/config.py (validate_config), workers/actor. */
static const struct key_kind kinds[] = {
	{ "data.train_batch_size", KIND_NUMBER, "0..", LOADER }, /* fully async: 0 */
	{ "data.val_batch_size", KIND_NUMBER, "1..", LOADER },
	{ "data.max_prompt_length", KIND_NUMBER, "1..", NULL },
	{ "data.max_response_length", KIND_NUMBER, "1..", NULL },
	{ "actor_rollout_ref.actor.ppo_mini_batch_size", KIND_NUMBER, "1..", NULL },
	{ "actor_rollout_ref.actor.ppo_epochs", KIND_NUMBER, "1..", "the actor takes no step" },
	{ "actor_rollout_ref.actor.use_dynamic_bsz", KIND_FLAG, NULL, TRUTH },
	{ "actor_rollout_ref.actor.use_kl_loss", KIND_FLAG, NULL, TRUTH },
	{ "actor_rollout_ref.actor.fsdp_config.param_offload", KIND_FLAG, NULL, TRUTH },
	{ "actor_rollout_ref.actor.fsdp_config.optimizer_offload", KIND_FLAG, NULL, TRUTH },
	{ "actor_rollout_ref.model.use_remove_padding", KIND_FLAG, NULL, TRUTH },
	{ "actor_rollout_ref.model.enable_gradient_checkpointing", KIND_FLAG, NULL, TRUTH },
	{ "trainer.total_epochs", KIND_NUMBER, "0..", "verl takes no step" },
};

/* Keys that decide degrees and batches, a letter or two off: hydra stops at them. */
static void report_near(struct decoder *decoder, const struct node *root)
{
	static const struct {
		const char *path;
		const char *names[10];
		size_t count;
	} maps[] = {
		{ "trainer", { "nnodes", "n_gpus_per_node" }, 2 },
		{ "actor_rollout_ref.actor",
		  { "ppo_mini_batch_size", "ppo_micro_batch_size", "ppo_micro_batch_size_per_gpu",
		    "ulysses_sequence_parallel_size", "ppo_infer_micro_batch_size_per_gpu",
		    "use_dynamic_bsz", "ppo_max_token_len_per_gpu", "use_kl_loss", "ppo_epochs" },
		  9 },
		{ "data",
		  { "train_batch_size", "val_batch_size", "gen_batch_size", "max_prompt_length",
		    "max_response_length" },
		  5 },
		{ "actor_rollout_ref.model",
		  { "use_remove_padding", "enable_gradient_checkpointing", "lora_rank" },
		  3 },
		{ "actor_rollout_ref.actor.fsdp_config", { "fsdp_size" }, 1 },
		{ "actor_rollout_ref.actor.fsdp_config",
		  { "param_offload", "optimizer_offload", "reshard_after_forward" },
		  3 },
		{ "actor_rollout_ref.rollout",
		  { "tensor_model_parallel_size", "gpu_memory_utilization",
		    "log_prob_micro_batch_size_per_gpu", "log_prob_use_dynamic_bsz" },
		  4 },
		{ "actor_rollout_ref.actor.megatron",
		  { "tensor_model_parallel_size", "pipeline_model_parallel_size",
		    "context_parallel_size", "expert_model_parallel_size",
		    "expert_tensor_parallel_size" },
		  5 },
	};
	size_t i;

	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		keys_near(decoder, node_find(root, maps[i].path), maps[i].names, maps[i].count,
			  "verl", "has no key of that name, and hydra stops at it");
}

void verl_numbers(struct decoder *decoder, const struct node *root)
{
	keys_kinds(decoder, root, kinds, sizeof(kinds) / sizeof(kinds[0]));
	keys_optimizer(decoder, node_find(root, "actor_rollout_ref.actor.optim"));
	keys_optimizer(decoder, node_find(root, "critic.optim"));
	keys_optimizer(decoder, node_find(root, "optim"));
	report_near(decoder, root);
}
