#include "input/launch/form.h"
#include "input/syntax/scalar.h"

#include <string.h>

/*
 * Programs that hand DeepSpeed its JSON themselves (deepspeed@edaa7221
 * deepspeed/__init__.py:add_config_arguments): --deepspeed_config FILE, whoever starts them; or a
 * stage as a flag of their own, as DeepSpeedExamples have it.
 */

static int claims(const struct launch *launch)
{
	if (launch_find(launch, "deepspeed_config"))
		return 26;
	return launch->launcher && !strcmp(launch->launcher, "deepspeed") ? 15 : 0;
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	const struct launch_flag *file = launch_find(launch, "deepspeed_config");
	const struct launch_flag *stage = launch_find(launch, "zero_stage");
	struct node *root;

	if (file)
		return launch_config_of(document, launch, file, findings);
	if (!stage || !stage->value) {
		launch_leave_open(document, launch->program_span,
				  "no config of DeepSpeed is named");
		return NULL;
	}
	root = node_container(document->arena, NODE_MAP, document->root->span);
	launch_put(document->arena, root, launch, "zero_stage", "zero_optimization.stage");
	return root;
}

const struct launch_form launch_form_deepspeed = {
	.name = "DeepSpeed",
	.dialect = "deepspeed",
	.claims = claims,
	.compose = compose,
};
