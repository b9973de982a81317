#include "input/layers.h"

#include "input/reader.h"

#include <string.h>

const struct rule_id rule_bad_override = {
	.name = "bad-override",
	.code = "S007",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "a --set option cannot be applied to this config",
	.explanation =
		"--set KEY=VALUE puts a value at a dotted path of the config. The path may lead "
		"through maps, and makes them where there are none, but not through a value or "
		"a list.",
	.remedy = "Give the path as the config spells it: --set parallelism.tp=4.",
	.source = "parplan's own option",
};

/* Marks a whole subtree as coming from --set. */
static void mark_set(struct node *node)
{
	struct node *child;

	node->origin = NODE_FROM_SET;
	for (child = node->first; child; child = child->next)
		mark_set(child);
}

/* Every part of a dotted path names something. */
static bool is_path(const char *key)
{
	size_t length;

	for (;; key += length + 1) {
		length = strcspn(key, ".");
		if (!length)
			return false;
		if (!key[length])
			return true;
	}
}

/* --set on an empty file starts a map; on a list or a scalar there is nowhere to put it. */
static bool root_takes_keys(struct node *root)
{
	if (root->kind == NODE_SCALAR && root->type == SCALAR_NULL)
		root->kind = NODE_MAP;
	return root->kind == NODE_MAP;
}

static void put(struct document *document, const char *key, struct span key_span,
		struct node *value, struct findings *findings)
{
	const struct node *obstacle;
	struct finding *finding;

	value->key_span = key_span;
	mark_set(value);
	obstacle = root_takes_keys(document->root)
			   ? node_put(document->arena, document->root, key, value)
			   : document->root;
	if (!obstacle)
		return;
	finding = finding_add(findings, &rule_bad_override, key_span,
			      "--set %s cannot be applied: '%s' is %s, not a map", key,
			      obstacle->parent ? node_path(document->arena, obstacle) : "the file",
			      node_describe(document->arena, obstacle));
	finding_relate(findings, finding, obstacle->span, "this is in the way");
	if (obstacle->parent)
		finding_fix(findings, finding,
			    "replace it as a whole: --set '%s={KEY: VALUE, ...}'",
			    node_path(document->arena, obstacle));
}

static void apply(struct document *document, const char *text, struct findings *findings)
{
	struct arena *arena = document->arena;
	const struct source *source = source_new(arena, "<--set>", text, strlen(text));
	size_t length = strcspn(text, "=");
	struct span key_span = source_span(source, 0, length);
	const char *key = arena_strndup(arena, text, length);
	struct node *value;

	if (!text[length] || !is_path(key)) {
		finding_add(findings, &rule_bad_override, source_span(source, 0, source->length),
			    "--set %s: a dotted path, '=' and a value were expected", text);
		return;
	}
	value = yaml_value(arena, source, length + 1, findings);
	if (value)
		put(document, key, key_span, value, findings);
}

void layers_apply(struct document *document, struct findings *findings)
{
	size_t i;

	for (i = 0; i < document->overrides->sets.count; i++)
		apply(document, document->overrides->sets.items[i], findings);
}
