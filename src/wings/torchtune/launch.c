#include "base/text.h"
#include "input/launch_form.h"

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

/* The recipe without its folder: the last word of a launcher's, or the first behind `tune run`. */
static bool on_one_device(const struct launch *launch)
{
	return launch->program && strstr(launch->program, "single_device");
}

static void put_number(struct arena *arena, struct node *root, const char *path, int64_t number,
		       struct span span)
{
	struct node *node = node_scalar(arena, SCALAR_INT,
					arena_printf(arena, "%lld", (long long)number), span);

	node->integer = number;
	node->number = (double)number;
	node->origin = NODE_FROM_FLAG;
	node_put(arena, root, path, node);
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
	size_t i;

	if (config && config->value && (config->unresolved || is_path(config->value)))
		root = launch_config_of(document, launch, config, findings);
	if (!root)
		root = node_container(document->arena, NODE_MAP, document->root->span);
	for (i = 0; config && config->value && i < sizeof(shipped) / sizeof(shipped[0]); i++)
		if (!strcmp(shipped[i].name, config->value))
			put_number(document->arena, root, "tensor_parallel_dim", shipped[i].tensor,
				   config->span);
	if (on_one_device(launch))
		put_number(document->arena, root, "data_parallel_shard_dim", 1,
			   launch->program_span);
	return root;
}

const struct launch_form launch_form_torchtune = {
	.name = "torchtune",
	.dialect = "torchtune",
	.claims = claims,
	.compose = compose,
};
