#include "base/text.h"
#include "input/launch/form.h"
#include "wings/transformers/arguments.h"

#include <string.h>

/* A script of one's own around transformers' Trainer: it is told by the Trainer's flags. */

/* A flag with a value that is a word, not a switch. */
static bool has(const struct launch *launch, const char *name)
{
	const struct launch_flag *flag = launch_find(launch, name);

	return flag && flag->value && *flag->value;
}

/* One of these arguments, which may be shortened, with a value. */
static bool tells(const struct launch *launch, const char *argument)
{
	size_t i;

	for (i = 0; i < launch->flags.count; i++) {
		const char *whole = training_argument_of(launch->flags.items[i].name);
		if (whole && !strcmp(whole, argument) && launch->flags.items[i].value)
			return true;
	}
	return false;
}

static int claims(const struct launch *launch)
{
	static const char *const others[] = { "output_dir",    "num_train_epochs",
					      "save_strategy", "save_steps",
					      "logging_steps", "lr_scheduler_type",
					      "report_to",     "evaluation_strategy",
					      "eval_strategy", "save_total_limit" };
	size_t i;

	if (has(launch, "fsdp") || has(launch, "deepspeed"))
		return 40;
	if (!launch->launched || !strcmp(launch->launcher, "accelerate") ||
	    !tells(launch, "per_device_train_batch_size"))
		return 0;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (launch_find(launch, others[i]))
			return 35;
	return 0;
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
