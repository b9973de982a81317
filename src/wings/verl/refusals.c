#include "base/text.h"
#include "framework/wing.h"
#include "input/keys.h"
#include "input/node.h"
#include "wings/verl/keys.h"
#include "wings/verl/says.h"

#include <string.h>

/*
 * What verl (verl-project/verl@1dda039b) refuses of a config that is whole: validate_config
 * (verl/utils/config.py), ActorConfig and CriticConfig (verl/workers/config).
 */

/* Who computes in micro-batches, in the order in which they are asked. */
static const struct part {
	const char *map, *all, *each;
} parts[] = {
	{ "actor_rollout_ref.actor", "ppo_micro_batch_size", "ppo_micro_batch_size_per_gpu" },
	{ "actor_rollout_ref.ref", "log_prob_micro_batch_size",
	  "log_prob_micro_batch_size_per_gpu" },
	{ "actor_rollout_ref.rollout", "log_prob_micro_batch_size",
	  "log_prob_micro_batch_size_per_gpu" },
	{ "critic", "ppo_micro_batch_size", "ppo_micro_batch_size_per_gpu" },
};

enum { PARTS = sizeof(parts) / sizeof(parts[0]), REFERENCE = 1, CRITIC = 3 };

static const char dynamic[] = "actor_rollout_ref.actor.use_dynamic_bsz";

/* Certainly null: written so, or not written in a config that is whole, whose files have null. */
static bool is_null(const struct document *document, const struct part *part, const char *key)
{
	const struct node *node =
		node_find(document->root, arena_join(document->arena, part->map, ".", key));

	return node ? !node->unresolved && node->kind == NODE_SCALAR && node->type == SCALAR_NULL
		    : verl_is_whole(document);
}

/* Certainly off: what it follows where it is not written is the actor's switch. */
static bool is_static(const struct document *document, const char *path)
{
	const struct node *node = node_find(document->root, path);

	if (!node)
		return !strcmp(path, dynamic) ? verl_is_whole(document)
					      : is_static(document, dynamic);
	return !node->unresolved && !keys_true(document->root, path);
}

/* need_reference_policy and need_critic of verl/trainer/ppo/utils.py. */
static bool is_needed(const struct document *document, size_t part)
{
	const struct node *root = document->root, *critic = node_find(root, "critic.enable");
	const char *usual = verl_is_whole(document) ? "gae" : "";

	if (part == REFERENCE)
		return keys_true(root, "actor_rollout_ref.actor.use_kl_loss") ||
		       keys_true(root, "algorithm.use_kl_in_reward");
	if (part != CRITIC)
		return true;
	return critic && critic->type != SCALAR_NULL
		       ? keys_true(root, "critic.enable")
		       : !strcmp(keys_text(root, "algorithm.adv_estimator", usual), "gae");
}

static bool lacks(const struct document *document, size_t part)
{
	return is_needed(document, part) && is_null(document, &parts[part], parts[part].all) &&
	       is_null(document, &parts[part], parts[part].each) &&
	       is_static(document, part == CRITIC ? "critic.use_dynamic_bsz" : dynamic);
}

/* A warning: a command may be cut short, and a file completed by one. Plans do not end by it. */
static struct finding *refuse(struct decoder *decoder, const struct node *where, const char *what)
{
	struct finding *finding = finding_add(decoder->findings, &rule_arguments_refused,
					      where->key_span, "verl refuses %s", what);

	finding->speaker = "verl";
	finding_cap(finding, SEVERITY_WARNING);
	return finding;
}

/* All that are missing, by the first of which it stops. */
static void judge_sizes(const struct document *document, struct decoder *decoder)
{
	const struct node *actor = node_find(document->root, parts[0].map);
	struct arena *arena = document->arena;
	const char *missing = "";
	size_t i, first = PARTS;
	struct finding *finding;

	for (i = 0; i < PARTS; i++)
		if (lacks(document, i)) {
			first = first < PARTS ? first : i;
			missing = arena_join(arena, missing, *missing ? " and " : "",
					     arena_join(arena, parts[i].map, ".", parts[i].each));
		}
	if (first == PARTS)
		return;
	finding =
		refuse(decoder, actor ? actor : document->root,
		       arena_join(arena, parts[first].map, " without a size of micro-batches", ""));
	finding_quote(decoder->findings, finding, "%s", VERL_NO_MICRO(first)->says.text);
	finding_fix(decoder->findings, finding, "give %s, or use_dynamic_bsz=True to the actor",
		    missing);
}

/* engine_workers.py, init_model: it asserts that both are alike. */
static void judge_switches(const struct document *document, struct decoder *decoder)
{
	static const char path[] = "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz";
	const struct node *node = node_find(document->root, path);
	const struct node *other = node_find(document->root, dynamic);
	struct finding *finding;

	if (!verl_by_engines(document) || !node || node->unresolved ||
	    (other ? other->unresolved != NULL : !verl_is_whole(document)) ||
	    keys_true(document->root, path) == keys_true(document->root, dynamic))
		return;
	finding = refuse(decoder, node,
			 "a log_prob_use_dynamic_bsz that is not the actor's use_dynamic_bsz");
	if (other)
		finding_relate(decoder->findings, finding, other->span, "use_dynamic_bsz");
	finding_quote(decoder->findings, finding, "AssertionError");
	finding_fix(decoder->findings, finding, "leave it out: it follows the actor's");
}

void verl_refusals(const struct document *document, struct decoder *decoder)
{
	if (!decoder->findings || document->open_why || document->no_job ||
	    !node_find(document->root, "actor_rollout_ref"))
		return;
	judge_sizes(document, decoder);
	judge_switches(document, decoder);
}
