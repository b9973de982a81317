#include "base/text.h"
#include "input/launch/form.h"

#include <string.h>

/*
 * `rl @ rl.toml`, `sft @ sft.toml`, `trainer @ trainer.toml`, and torchrun of prime_rl/trainer: the
 * word behind "@" is a file, several are laid one over the other, and one behind "--trainer" lies
 * below that key (PrimeIntellect-ai/prime-rl@559b4477 docs/configuration.md).
 */

static int claims(const struct launch *launch)
{
	static const char *const programs[] = { "rl", "sft", "trainer" };
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (launch_says(launch, programs[i], "@"))
			return 48;
	return launch_runs_below(launch, "prime_rl") ? 48 : 0;
}

/* The file behind word `at`, laid over those before it. */
static void lay(struct document *document, struct launch *launch, struct node *root, size_t at,
		struct findings *findings)
{
	const struct launch_word *words = launch->words.items;
	const struct launch_flag file = launch_flag_of(&words[at + 1], "config");
	const char *section =
		at && text_starts(words[at - 1].text, "--") ? words[at - 1].text + 2 : NULL;
	struct node *map = launch_config_of(document, launch, &file, findings), *old;

	if (!map || !root)
		return;
	old = section ? node_find(root, section) : root;
	if (old && old->kind == NODE_MAP)
		node_merge(document->arena, map, old);
	if (section)
		node_put(document->arena, root, section, map);
	else
		*root = *map;
}

/* "--trainer @ x.toml" is no flag with a value. */
static void drop_sections(struct launch *launch)
{
	size_t i;

	for (i = 0; i < launch->flags.count; i++)
		if (launch->flags.items[i].value && !strcmp(launch->flags.items[i].value, "@"))
			launch->flags.items[i].name = "";
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	struct node *root = node_container(document->arena, NODE_MAP, document->root->span);
	size_t i;

	for (i = 0; i + 1 < launch->words.count; i++)
		if (!strcmp(launch->words.items[i].text, "@"))
			lay(document, launch, root, i, findings);
	drop_sections(launch);
	return root;
}

const struct launch_form launch_form_prime_rl = {
	.name = "prime-rl",
	.dialect = "prime-rl",
	.claims = claims,
	.compose = compose,
};
