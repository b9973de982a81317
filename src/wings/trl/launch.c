#include "base/text.h"
#include "input/launch/form.h"
#include "wings/transformers/arguments.h"

#include <string.h>

/*
 * `trl sft --config x.yaml --accelerate_config zero3` (huggingface/trl@f2cd5771 trl/cli.py), which
 * starts accelerate itself, and accelerate launch of trl/scripts/sft.py: flags are the keys of the
 * YAML, which lies below them.
 */

/* The files of accelerate that TRL ships (trl/accelerate_configs), all for eight processes. */
static const struct {
	const char *name, *type;
	int64_t stage;
} shipped[] = {
	{ "fsdp1", "fsdp", 0 },	     { "fsdp2", "fsdp", 0 },	  { "zero1", "deepspeed", 1 },
	{ "zero2", "deepspeed", 2 }, { "zero3", "deepspeed", 3 }, { "multi_gpu", "", 0 },
	{ "single_gpu", "", 0 },
};

static bool is_task(const char *word)
{
	static const char *const tasks[] = { "sft", "dpo", "grpo", "kto", "reward", "rloo" };
	size_t i;

	for (i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		if (!strcmp(tasks[i], word))
			return true;
	return false;
}

static int claims(const struct launch *launch)
{
	const struct launch_word *first = launch_positional(launch, 0);

	if (launch_runs(launch, "trl"))
		return first && is_task(first->text) ? 70 : 0;
	return launch_runs_below(launch, "trl.scripts") ? 60 : 0;
}

/* What the named file of accelerate says, as the Trainer's own keys would. */
static void put_shipped(struct document *document, struct node *root, const struct launch *launch,
			const char *name)
{
	struct launch_flag flag = { .name = name, .span = launch->program_span };
	size_t i;

	for (i = 0; i < sizeof(shipped) / sizeof(shipped[0]); i++) {
		if (strcmp(shipped[i].name, name) != 0)
			continue;
		flag.value = "full_shard";
		if (!strcmp(shipped[i].type, "fsdp"))
			node_put(document->arena, root, "fsdp",
				 launch_scalar(document->arena, &flag));
		flag.value = "2";
		if (!strcmp(name, "fsdp2"))
			node_put(document->arena, root, "fsdp_config.fsdp_version",
				 launch_scalar(document->arena, &flag));
		flag.value = arena_printf(document->arena, "%lld", (long long)shipped[i].stage);
		if (!strcmp(shipped[i].type, "deepspeed"))
			node_put(document->arena, root, "deepspeed.zero_optimization.stage",
				 launch_scalar(document->arena, &flag));
	}
}

/* `trl` starts accelerate: with a file of its own, or over what that finds. */
static void start(struct document *document, struct node *root, struct launch *launch)
{
	const struct launch_flag *named = launch_find(launch, "accelerate_config");
	const struct launch_flag *count = launch_find(launch, "num_processes");
	const char *name = named && named->value && !named->unresolved ? named->value : NULL;
	int64_t processes = name && !strcmp(name, "single_gpu") ? 1 : name ? 8 : 0;

	if (count && count->value && !text_to_int(count->value, &processes))
		processes = 0;
	if (processes > 0 && processes < INT32_MAX) {
		launch->world = processes;
		launch->world_span = count ? count->span : named->span;
	}
	if (name)
		put_shipped(document, root, launch, name);
	else
		launch_leave_open(document, launch->program_span,
				  "accelerate's default config, or the devices that it finds");
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	struct node *root =
		launch_config_of(document, launch, launch_find(launch, "config"), findings);

	if (!root)
		root = node_container(document->arena, NODE_MAP, document->root->span);
	training_arguments_spell(launch);
	if (!launch->launched)
		start(document, root, launch);
	return root;
}

const struct launch_form launch_form_trl = {
	.name = "TRL",
	.dialect = "trl",
	.commands = "trl",
	.claims = claims,
	.compose = compose,
};
