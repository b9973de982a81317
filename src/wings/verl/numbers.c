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

void verl_numbers(struct decoder *decoder, const struct node *root)
{
	keys_kinds(decoder, root, kinds, sizeof(kinds) / sizeof(kinds[0]));
	keys_optimizer(decoder, node_find(root, "actor_rollout_ref.actor.optim"));
	keys_optimizer(decoder, node_find(root, "critic.optim"));
	keys_optimizer(decoder, node_find(root, "optim"));
	verl_near(decoder, root);
}
