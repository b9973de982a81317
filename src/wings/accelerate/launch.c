#include "base/text.h"
#include "input/launch/form.h"
#include "input/syntax/scalar.h"

#include <string.h>

/*
 * `accelerate launch` (huggingface/accelerate@16cb6eb8, src/accelerate/commands/launch.py): flags
 * win over the file of --config_file, key by key; one that names a plug-in wins over its
 * distributed_type. Without both, more processes than one are DistributedDataParallel's.
 */

static int claims(const struct launch *launch)
{
	return launch->launcher && !strcmp(launch->launcher, "accelerate") ? 20 : 0;
}

/* Flags that name the plug-in, and the type that each stands for. */
static const struct {
	const char *flag, *type;
} types[] = {
	{ "use_deepspeed", "DEEPSPEED" },
	{ "use_fsdp", "FSDP" },
	{ "use_megatron_lm", "MEGATRON_LM" },
	{ "multi_gpu", "MULTI_GPU" },
};

/* Beginnings of flags, and the map of the file that holds them. */
static const struct {
	const char *prefix, *map;
} maps[] = {
	{ "fsdp_", "fsdp_config." },
	{ "parallelism_config_", "parallelism_config." },
	{ "megatron_lm_", "megatron_lm_config." },
	{ "deepspeed_", "deepspeed_config." },
	{ "zero_stage", "deepspeed_config." },
	{ "zero3_", "deepspeed_config." },
	{ "offload_", "deepspeed_config." },
	{ "gradient_accumulation_steps", "deepspeed_config." },
	{ "gradient_clipping", "deepspeed_config." },
	{ "num_processes", "" },
	{ "num_machines", "" },
	{ "machine_rank", "" },
	{ "mixed_precision", "" },
};

static void put_option(struct arena *arena, struct node *root, const struct launch_flag *flag)
{
	size_t i;

	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		if (text_starts(flag->name, maps[i].prefix)) {
			node_put(arena, root, arena_join(arena, maps[i].map, flag->name, ""),
				 launch_scalar(arena, flag));
			return;
		}
}

static void put_type(struct arena *arena, struct node *root, const char *type, struct span span)
{
	struct node *node = node_scalar(arena, SCALAR_STRING, type, span);

	node->origin = NODE_FROM_FLAG;
	node->quoted = true;
	node_put(arena, root, "distributed_type", node);
}

/* The type that a flag names; false when none does. */
static bool name_type(struct arena *arena, struct node *root, const struct launch *launch)
{
	const struct launch_flag *flag;
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		flag = launch_option(launch, types[i].flag);
		if (!flag)
			continue;
		put_type(arena, root, types[i].type, flag->span);
		return true;
	}
	return false;
}

/* Unless ~/.cache/huggingface/accelerate/default_config.yaml has another type (commands/launch.py,
 * _validate_launch_command). */
static void put_several(struct document *document, struct node *root, const struct launch *launch)
{
	put_type(document->arena, root, "MULTI_GPU", launch->world_span);
	document->sharing_open =
		"accelerate launch has no --config_file, and where the machine has "
		"accelerate's default_config.yaml, that may ask for FSDP or DeepSpeed";
}

/* No file, no flag: the number of processes decides, and without one the devices that are found. */
static void assume_type(struct document *document, struct node *root, const struct launch *launch)
{
	if (launch->open_options)
		launch_leave_open(document, launch->world_span, launch->open_options);
	else if (launch->world > 1)
		put_several(document, root, launch);
	else if (launch->world)
		put_type(document->arena, root, "NO", launch->world_span);
	else
		launch_leave_open(document, launch->world_span,
				  "accelerate's default config, or the devices that it finds");
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	const struct launch_flag *file = launch_option(launch, "config_file");
	struct node *root = launch_config_of(document, launch, file, findings);
	struct arena *arena = document->arena;
	const bool found = root != NULL;
	size_t i;

	if (!root)
		root = node_container(arena, NODE_MAP, document->root->span);
	for (i = 0; i < launch->options.count; i++)
		put_option(arena, root, &launch->options.items[i]);
	if (name_type(arena, root, launch))
		document->open_why = NULL;
	else if (!found && !file)
		assume_type(document, root, launch);
	return root;
}

const struct launch_form launch_form_accelerate = {
	.name = "accelerate",
	.dialect = "accelerate",
	.claims = claims,
	.compose = compose,
};
