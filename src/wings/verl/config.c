#include "wings/verl/keys.h"

#include "base/text.h"
#include "input/compose/composition.h"
#include "input/compose/interpolation.h"
#include "input/keys.h"
#include "input/shell/shell.h"
#include "input/vocabulary.h"

#include <string.h>

/*
 * verl's YAML (verl-project/verl@1dda039b): hydra roots, what hydra composed from them and their
 * parts.
 */

static const char *text_at(const struct node *root, const char *path)
{
	const struct node *node = node_find(root, path);

	return node && node->kind == NODE_SCALAR ? node->text : "";
}

/* A part of a config: its class is verl's. */
static bool is_part(const struct node *root)
{
	return text_starts(text_at(root, "_target_"), "verl.");
}

/* A root of a recipe: hydra's list of defaults names one of verl's trainers. */
static bool is_recipe(const struct node *root)
{
	const struct node *list = node_member(root, "defaults"), *item;

	for (item = list && list->kind == NODE_LIST ? list->first : NULL; item; item = item->next)
		if (item->kind == NODE_SCALAR &&
		    words_have("ppo_trainer|ppo_megatron_trainer", item->text))
			return true;
	return false;
}

static int verl_detect(const struct document *document)
{
	const struct node *root = document->root;

	if (document->shell)
		return 0;
	if (node_member(root, "actor_rollout_ref") || is_part(root))
		return 92;
	if (node_find(root, "trainer.n_gpus_per_node"))
		return 88;
	return is_recipe(root) ? 80 : 0;
}

static void verl_compose(struct document *document, struct findings *findings)
{
	compose_hydra(document, findings);
	interpolate_omegaconf(document, document->root, NULL, findings);
	/* verl/trainer/config/generation.yaml */
	if (!node_member(document->root, "actor_rollout_ref") &&
	    node_member(document->root, "rollout") && node_find(document->root, "data.output_path"))
		document->no_job = "verl's config of main_generation trains nothing";
}

static void verl_dialect_settle(struct document *document, moment_t when, struct settings *settings,
				struct findings *findings)
{
	(void)when;
	verl_settle(document, settings, findings);
}

const struct dialect dialect_verl = {
	.name = "verl",
	.summary = "verl's hydra YAML: an actor under FSDP or Megatron, and its rollout",
	.signs = "'actor_rollout_ref', or 'trainer' with 'n_gpus_per_node'",
	.framework = "verl",
	.as_of = "1dda039b",
	.command = COMMAND_HYDRA,
	.detect = verl_detect,
	.compose = verl_compose,
	.vocabulary = verl_vocabulary,
	.settle = verl_dialect_settle,
};
