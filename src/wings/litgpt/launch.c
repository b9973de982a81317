#include "base/text.h"
#include "input/launch/form.h"

#include <string.h>

/*
 * `litgpt finetune_full CHECKPOINT --devices 4` (Lightning-AI/litgpt@26857050 litgpt/__main__.py):
 * jsonargparse's flags are the keys of the YAML, --config names one below them. One device unless
 * they say otherwise.
 */

static bool trains(const char *command)
{
	return text_starts(command, "finetune") || !strcmp(command, "pretrain");
}

static int claims(const struct launch *launch)
{
	const struct launch_word *first = launch_positional(launch, 0);

	return launch_runs(launch, "litgpt") && first && trains(first->text) ? 70 : 0;
}

static void put_text(struct arena *arena, struct node *root, const char *key, const char *text,
		     struct span span)
{
	const struct launch_flag flag = { .name = key, .value = text, .span = span };

	if (!node_find(root, key))
		node_put(arena, root, key, launch_scalar(arena, &flag));
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	const struct launch_word *command = launch_positional(launch, 0);
	const struct launch_word *model = launch_positional(launch, 1);
	const bool pretrains = command && !strcmp(command->text, "pretrain");
	struct arena *arena = document->arena;
	struct node *root =
		launch_config_of(document, launch, launch_find(launch, "config"), findings);

	if (!root)
		root = node_container(arena, NODE_MAP, document->root->span);
	if (model && !model->unresolved)
		put_text(arena, root, pretrains ? "model_name" : "checkpoint_dir", model->text,
			 model->span);
	if (!pretrains && !launch_find(launch, "devices"))
		put_text(arena, root, "devices", "1", launch->program_span);
	return root;
}

const struct launch_form launch_form_litgpt = {
	.name = "litgpt",
	.dialect = "litgpt",
	.commands = "litgpt",
	.claims = claims,
	.compose = compose,
};
