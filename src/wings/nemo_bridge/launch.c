#include "base/text.h"
#include "input/launch/form.h"

#include <string.h>

/*
 * Megatron-Bridge's scripts (NVIDIA-NeMo/Megatron-Bridge@067f987d scripts/training/run_recipe.py):
 * a recipe by its name or in the script, and KEY=VALUE over it, above a file of --config-file.
 */

static bool overrides_degree(const struct launch *launch)
{
	size_t i;

	for (i = 0; i < launch->strays.count; i++)
		if (text_starts(launch->strays.items[i].text,
				"model.tensor_model_parallel_size=") ||
		    text_starts(launch->strays.items[i].text,
				"model.pipeline_model_parallel_size="))
			return true;
	return false;
}

/* NeMo's own have a trainer, as Lightning does. */
static bool has_trainer(const struct launch *launch)
{
	size_t i;

	for (i = 0; i < launch->strays.count; i++)
		if (text_starts(launch->strays.items[i].text +
					strspn(launch->strays.items[i].text, "+"),
				"trainer."))
			return true;
	return false;
}

static int claims(const struct launch *launch)
{
	if (launch_runs(launch, "run_recipe") || launch_runs_below(launch, "megatron.bridge"))
		return 70;
	if (has_trainer(launch))
		return 0;
	return overrides_degree(launch) && launch_find(launch, "config_name") == NULL ? 50 : 0;
}

/* A recipe of a script is a function: what it sets and nobody overrides is not known. */
static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	const struct launch_flag *file = launch_find(launch, "config_file");
	struct node *root = launch_config_of(document, launch, file, findings);

	if (!root)
		root = node_container(document->arena, NODE_MAP, document->root->span);
	launch_leave_open(document, launch->program_span, "the recipe decides");
	document->open_model_only = true;
	return root;
}

const struct launch_form launch_form_nemo_bridge = {
	.name = "Megatron-Bridge",
	.dialect = "nemo-bridge",
	.claims = claims,
	.compose = compose,
};
