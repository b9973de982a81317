#include "base/text.h"
#include "input/launch/form.h"
#include "wings/torchtune/shipped.h"

#include <string.h>

/*
 * `tune run [torchrun's options] RECIPE --config NAME KEY=VALUE ...` (pytorch/torchtune@bd2a0fc7
 * torchtune/_cli/run.py): a config is a file, or the name of one that torchtune ships. Those share
 * parameters over all ranks but for the few that set tensor_parallel_dim.
 */

static const struct {
	const char *name;
	int64_t tensor;
} shipped[] = {
	{ "llama3_3/70B_full_multinode", 8 },
	{ "llama4/maverick_17B_128E_full", 8 },
	{ "llama4/scout_17B_16E_full", 2 },
};

int64_t torchtune_shipped_tensor(const struct launch *launch)
{
	const struct launch_flag *config = launch_find(launch, "config");
	size_t i;

	for (i = 0; config && config->value && i < sizeof(shipped) / sizeof(shipped[0]); i++)
		if (!strcmp(shipped[i].name, config->value))
			return shipped[i].tensor;
	return 1;
}

static bool names_recipe(const struct launch *launch)
{
	const char *program = launch->program ? launch->program : "";

	return (strstr(program, "_distributed") || strstr(program, "_single_device")) &&
	       launch_find(launch, "config");
}

static int claims(const struct launch *launch)
{
	return launch_says(launch, "tune", "run") || names_recipe(launch) ? 60 : 0;
}

static bool is_path(const char *name)
{
	return text_ends(name, ".yaml") || text_ends(name, ".yml");
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	const struct launch_flag *config = launch_find(launch, "config");
	struct node *root = NULL;

	if (config && config->value && (config->unresolved || is_path(config->value)))
		root = launch_config_of(document, launch, config, findings);
	if (!root)
		root = node_container(document->arena, NODE_MAP, document->root->span);
	return root;
}

const struct launch_form launch_form_torchtune = {
	.name = "torchtune",
	.dialect = "torchtune",
	.claims = claims,
	.compose = compose,
};
