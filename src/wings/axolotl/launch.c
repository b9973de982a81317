#include "base/text.h"
#include "input/launch/form.h"

#include <string.h>

/*
 * `axolotl train x.yml [--launcher torchrun] [-- the launcher's options]` and `accelerate launch -m
 * axolotl.cli.train x.yml` (axolotl-ai-cloud/axolotl@067b021c src/axolotl/cli/main.py): the first
 * starts accelerate, or torchrun, over the devices it finds unless the options say how many.
 */

static bool is_config(const struct launch_word *word)
{
	return word && (text_ends(word->text, ".yaml") || text_ends(word->text, ".yml"));
}

static const struct launch_word *config_of(const struct launch *launch)
{
	size_t i;

	for (i = 0; i < launch->strays.count; i++)
		if (is_config(&launch->strays.items[i]))
			return &launch->strays.items[i];
	return NULL;
}

static int claims(const struct launch *launch)
{
	const struct launch_word *first = launch_positional(launch, 0);

	if (launch_runs(launch, "axolotl"))
		return first && !strcmp(first->text, "train") ? 70 : 0;
	return launch_runs_below(launch, "axolotl.cli.train|axolotl.train") ||
			       (launch_runs(launch, "finetune") && config_of(launch) &&
				launch_runs_below(launch, "scripts.finetune"))
		       ? 66
		       : 0;
}

/* What stands behind "--" is the launcher's: read as if it were started by hand. */
static void read_launcher(struct document *document, struct launch *launch)
{
	const struct launch_flag *named = launch_find(launch, "launcher");
	const char *launcher = named && named->value ? named->value : "accelerate";
	VEC(struct launch_word) words = { 0 };
	const struct launch *inner;
	struct launch_word word = { .text = launcher, .span = launch->program_span };
	size_t i;

	vec_push(document->arena, &words, word);
	word.text = "launch";
	if (!strcmp(launcher, "accelerate"))
		vec_push(document->arena, &words, word);
	for (i = 0; i < launch->words.count && strcmp(launch->words.items[i].text, "--"); i++)
		;
	if (i == launch->words.count)
		return;
	for (i++; i < launch->words.count; i++)
		vec_push(document->arena, &words, launch->words.items[i]);
	word.text = "axolotl.py";
	vec_push(document->arena, &words, word);
	inner = launch_of_words(document->arena, launch->source, words.items, words.count);
	for (i = 0; i < inner->facts.count; i++)
		vec_push(document->arena, &launch->facts, inner->facts.items[i]);
	launch->world = inner->world;
	launch->world_span = inner->world_span;
	launch->nodes = inner->nodes;
	launch->per_node = inner->per_node;
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	const struct launch_flag file = launch_flag_of(config_of(launch), "config");

	if (!launch->launched)
		read_launcher(document, launch);
	return launch_config_of(document, launch, &file, findings);
}

const struct launch_form launch_form_axolotl = {
	.name = "axolotl",
	.dialect = "axolotl",
	.commands = "axolotl",
	.claims = claims,
	.compose = compose,
};
