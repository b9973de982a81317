#include "input/layers.h"

#include "input/syntax/reader.h"

#include <string.h>

const struct rule_id rule_bad_override = {
	.name = "bad-override",
	.code = "S007",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "a --set or --expect option cannot be applied to this config",
	.explanation =
		"--set KEY=VALUE puts a value at a dotted path of the config, --expect KEY=VALUE "
		"and a comment '# parplan: expect KEY=VALUE' put one below expect:. The path may "
		"lead through maps, and creates missing ones, but not through a value or a list. "
		"Put a part that contains dots in quotes.",
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

/* One of the ways in which a value is laid over a document. */
struct layer {
	struct document *document;
	struct findings *findings;
	const char *option; /* what stands in front of KEY=VALUE: "--set", "# parplan: expect" */
	struct node *root;  /* KEY begins below it */
	const char *prefix; /* or below this path: "expect." */
	const struct span *comment; /* where it stands in the file; NULL for options */
};

/* The length of KEY in KEY=VALUE: up to the first '=' that is in no quoted part. */
static size_t key_length(const char *text)
{
	size_t at = 0;
	const char *close;

	while (text[at] && text[at] != '=') {
		bool begins = !at || text[at - 1] == '.';

		close = begins && (text[at] == '"' || text[at] == '\'')
				? strchr(text + at + 1, text[at])
				: NULL;
		at = close ? (size_t)(close - text) + 1 : at + 1;
	}
	return at;
}

/* Every part of a dotted path names something. */
static bool is_path(struct arena *arena, const char *key)
{
	while (node_path_part(arena, &key)) {
		if (!*key)
			return true;
		key++;
	}
	return false;
}

/* Moves a span in the text of a comment to where the comment stands. */
static void move(const struct span *comment, const struct source *text, struct span *span)
{
	if (span->source != text)
		return;
	span->source = comment->source;
	span->line = span->end_line = comment->line;
	span->column += comment->column - 1;
	span->end_column += comment->column - 1;
}

static void move_tree(const struct span *comment, const struct source *text, struct node *node)
{
	struct node *child;

	move(comment, text, &node->span);
	move(comment, text, &node->key_span);
	for (child = node->first; child; child = child->next)
		move_tree(comment, text, child);
}

/* --set on an empty file starts a map; on a list or a scalar there is nowhere to put it. */
static bool root_takes_keys(struct node *root)
{
	if (root->kind == NODE_SCALAR && root->type == SCALAR_NULL)
		root->kind = NODE_MAP;
	return root->kind == NODE_MAP;
}

/* What is in the way of a native key is something else in this file: `model: NAME`. */
static bool put_apart(const struct layer *layer, const char *key, struct node *value)
{
	struct document *document = layer->document;

	if (layer->root != document->root || layer->comment || field_find(key) == FIELD_COUNT)
		return false;
	if (!document->ours)
		document->ours = node_container(document->arena, NODE_MAP, value->span);
	return !node_put(document->arena, document->ours, key, value);
}

static void put(const struct layer *layer, const char *key, struct span key_span,
		struct node *value)
{
	struct arena *arena = layer->document->arena;
	struct findings *findings = layer->findings;
	const struct node *obstacle = layer->root;
	struct finding *finding;

	value->key_span = key_span;
	if (root_takes_keys(layer->root))
		obstacle = node_put(arena, layer->root, arena_join(arena, layer->prefix, key, ""),
				    value);
	if (!obstacle || (obstacle->origin != NODE_FROM_SET && put_apart(layer, key, value)))
		return;
	finding = finding_add(findings, &rule_bad_override, key_span,
			      "%s %s cannot be applied: '%s' is %s, not a map", layer->option, key,
			      obstacle->parent ? node_path(arena, obstacle) : "the file",
			      node_describe(arena, obstacle));
	finding_relate(findings, finding, obstacle->span, "this is in the way");
	if (obstacle->parent)
		finding_fix(findings, finding,
			    "replace it as a whole: --set '%s={KEY: VALUE, ...}'",
			    node_path(arena, obstacle));
}

/* Lays the KEY=VALUE that is the whole of `source` over the tree. */
static void apply(const struct layer *layer, const struct source *source)
{
	struct arena *arena = layer->document->arena;
	size_t length = key_length(source->text), end = length;
	const char *key;
	struct span key_span;
	struct node *value;

	while (end && source->text[end - 1] == ' ')
		end--;
	key = arena_strndup(arena, source->text, end);
	if (!source->text[length] || !is_path(arena, key)) {
		finding_add(layer->findings, &rule_bad_override,
			    source_span(source, 0, source->length),
			    "%s %s: a dotted path, '=' and a value were expected", layer->option,
			    source->text);
		return;
	}
	value = yaml_value(arena, source, length + 1, layer->findings);
	if (!value)
		return;
	key_span = source_span(source, 0, end);
	if (layer->comment) {
		move_tree(layer->comment, source, value);
		move(layer->comment, source, &key_span);
	} else {
		mark_set(value);
	}
	put(layer, key, key_span, value);
}

static void apply_options(const struct layer *layer, const char *name, const char *const *texts,
			  size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		apply(layer, source_new(layer->document->arena, name, texts[i], strlen(texts[i])));
}

void layers_apply(struct document *document, struct findings *findings)
{
	const struct overrides *overrides = document->overrides;
	struct layer layer = { document, findings, "--set", document->root, "", NULL };
	size_t i;

	apply_options(&layer, "<--set>", overrides->sets.items, overrides->sets.count);
	for (i = 0; i < overrides->options.count; i++) {
		const struct option_text *option = &overrides->options.items[i];
		layer.option = option->option;
		apply_options(&layer, arena_join(document->arena, "<", option->option, ">"),
			      &option->text, 1);
	}
}

/* What was found in a comment's text is found in the file. */
static void move_finding(const struct span *comment, const struct source *text,
			 struct finding *finding)
{
	size_t i;

	move(comment, text, &finding->span);
	for (i = 0; i < finding->related.count; i++)
		move(comment, text, &finding->related.items[i].span);
	for (i = 0; i < finding->edits.count; i++)
		move(comment, text, &finding->edits.items[i].span);
}

static void apply_comment(struct layer *layer, const struct expectation_comment *comment)
{
	const struct source *text = source_new(layer->document->arena, comment->span.source->path,
					       comment->text, strlen(comment->text));
	size_t i = layer->findings->list.count;

	layer->comment = &comment->span;
	apply(layer, text);
	for (; i < layer->findings->list.count; i++)
		move_finding(&comment->span, text, layer->findings->list.items[i]);
	layer->comment = NULL;
}

void layers_expect(struct document *document, struct findings *findings)
{
	const struct overrides *overrides = document->overrides;
	struct layer layer = { document,       findings,  "# parplan: expect",
			       document->root, "expect.", NULL };
	size_t i;

	if (!document->dialect || !(document->expectations.count + overrides->expects.count))
		return;
	if (!document->dialect->holds_expect)
		layer.root = document->beside =
			node_container(document->arena, NODE_MAP, document->root->span);
	for (i = 0; i < document->expectations.count; i++)
		apply_comment(&layer, &document->expectations.items[i]);
	layer.option = "--expect";
	apply_options(&layer, "<--expect>", overrides->expects.items, overrides->expects.count);
}
