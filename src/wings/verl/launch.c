#include "base/text.h"
#include "input/launch/form.h"
#include "wings/verl/keys.h"

#include <string.h>

/*
 * verl's launch line outside of scripts (verl-project/verl@1dda039b): a Kubernetes job's. Scripts
 * are read by wings/verl/script.c.
 */

static int claims(const struct launch *launch)
{
	return verl_is_launch(launch) ? 90 : 0;
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	static const char strategy[] = "actor_rollout_ref.actor.strategy";
	const struct launch_flag *name = launch_find(launch, "config_name");
	const struct launch_flag megatron = { .name = strategy,
					      .value = "megatron",
					      .span = launch->program_span };
	struct node *root = node_container(document->arena, NODE_MAP, document->root->span);

	(void)findings;
	if (!launch_runs_below(launch, "verl.trainer.sft_trainer|verl.trainer.fsdp_sft_trainer"))
		launch_forget(launch);
	launch_put_words(document->arena, root, launch, "");
	if (name && name->value && strstr(name->value, "megatron") && !node_find(root, strategy))
		node_put(document->arena, root, strategy,
			 launch_scalar(document->arena, &megatron));
	return root;
}

const struct launch_form launch_form_verl = {
	.name = "verl",
	.dialect = "verl",
	.claims = claims,
	.compose = compose,
};
