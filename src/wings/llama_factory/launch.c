#include "base/text.h"
#include "input/launch/form.h"
#include "wings/transformers/arguments.h"

#include <string.h>

/*
 * `llamafactory-cli train x.yaml KEY=VALUE` or flags in place of the file, and torchrun of
 * src/train.py with the same (hiyouga/LLaMA-Factory@ff6d4d12 src/llamafactory/launcher.py): the
 * first starts torchrun itself with NPROC_PER_NODE processes on each of NNODES machines.
 */

static bool is_config(const struct launch_word *word)
{
	return word && (text_ends(word->text, ".yaml") || text_ends(word->text, ".yml") ||
			text_ends(word->text, ".json"));
}

/* The file stands behind `train`, or first. */
static const struct launch_word *config_of(const struct launch *launch)
{
	const struct launch_word *first = launch_positional(launch, 0);

	return is_config(first) ? first : launch_positional(launch, 1);
}

/* Keys of its arguments that no other trainer has: by flags alone it is known only so. */
static bool has_flags(const struct launch *launch)
{
	return launch_find(launch, "finetuning_type") && launch_find(launch, "stage");
}

static int claims(const struct launch *launch)
{
	const struct launch_word *first = launch_positional(launch, 0);

	if (launch_runs(launch, "llamafactory-cli|lmf"))
		return first && !strcmp(first->text, "train") ? 70 : 0;
	if (launch_runs_below(launch, "llamafactory|LLaMA-Factory"))
		return 65;
	if (has_flags(launch))
		return 62;
	return launch->program && text_ends(launch->program, "src/train.py") && is_config(first)
		       ? 58
		       : 0;
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	const struct launch_word *word = config_of(launch);
	const struct launch_flag file = launch_flag_of(word, "config");
	struct node *root = NULL, *engine;
	size_t i;

	if (!is_config(word))
		training_arguments_spell(launch);
	else
		root = launch_config_of(document, launch, &file, findings);
	if (!root)
		root = node_container(document->arena, NODE_MAP, document->root->span);
	for (i = 0; i < launch->flags.count; i++)
		launch_put(document->arena, root, launch, launch->flags.items[i].name,
			   launch->flags.items[i].name);
	engine = node_member(root, "deepspeed");
	if (engine && engine->kind == NODE_SCALAR && !engine->unresolved) {
		struct node *map = launch_load(document, launch, engine->text, findings);
		if (map)
			node_put(document->arena, root, "deepspeed", map);
	}
	return root;
}

const struct launch_form launch_form_llama_factory = {
	.name = "LLaMA-Factory",
	.dialect = "llama-factory",
	.commands = "llamafactory-cli|lmf",
	.by_variables = true,
	.claims = claims,
	.compose = compose,
};
