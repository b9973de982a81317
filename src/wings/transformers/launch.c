#include "base/text.h"
#include "input/launch/form.h"
#include "wings/transformers/arguments.h"
#include "wings/transformers/flags.h"

#include <string.h>

/* A script of one's own around transformers' Trainer: it is told by the Trainer's flags. */

static int claims(const struct launch *launch)
{
	if (trainer_flags_share(launch))
		return 40;
	/* behind accelerate launch its own dialect reads them, beside who shares the model */
	if (!launch->launched || !strcmp(launch->launcher, "accelerate"))
		return 0;
	return trainer_flags_tell(launch) ? 35 : 0;
}

/* --fsdp_config FILE and --deepspeed FILE are looked for where configs are. */
static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	static const char *const names[] = { "fsdp_config", "deepspeed" };
	struct node *root = node_container(document->arena, NODE_MAP, document->root->span), *map;
	size_t i;

	training_arguments_spell(launch);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct launch_flag *flag = launch_find(launch, names[i]);
		if (!flag || !flag->value || flag->unresolved || flag->value[0] == '{' ||
		    !text_ends(flag->value, ".json"))
			continue;
		map = launch_load(document, launch, flag->value, findings);
		if (map)
			node_put(document->arena, root, names[i], map);
		else if (i || !launch_find(launch, "fsdp"))
			launch_config_of(document, launch, flag, findings);
	}
	return root;
}

const struct launch_form launch_form_transformers = {
	.name = "transformers",
	.dialect = "transformers",
	.claims = claims,
	.compose = compose,
};
