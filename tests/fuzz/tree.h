#ifndef FUZZ_TREE_H
#define FUZZ_TREE_H

#include "base/die.h"
#include "base/finding.h"
#include "input/node.h"
#include "input/syntax/reader.h"

/*
 * What holds for every tree and every finding a reader can make, whatever the
 * text. Each target reads one text, checks this, and lets go of everything.
 */

static inline void check_span(struct span span)
{
	if (!span_known(span))
		return;
	if (span.line > span.source->line_count || span.end_line > span.source->line_count)
		bug("span ends behind line %u", span.source->line_count);
	if (!span.column || !span.end_column || span.end_line < span.line ||
	    (span.end_line == span.line && span.end_column < span.column))
		bug("span %u:%u to %u:%u", span.line, span.column, span.end_line, span.end_column);
}

static inline void check_tree(const struct node *node, int depth)
{
	const struct node *child, *last = NULL;

	if (depth > READER_DEPTH)
		bug("tree is %d levels deep", depth);
	if (node->kind == NODE_SCALAR && (!node->text || node->first))
		bug("scalar without text or with children");
	if (!span_known(node->span))
		bug("node without a place");
	check_span(node->span);
	check_span(node->key_span);
	for (child = node->first; child; child = child->next) {
		if (child->parent != node)
			bug("child of another parent");
		if ((node->kind == NODE_MAP) != (child->key != NULL))
			bug("key in a list, or none in a map");
		check_tree(child, depth + 1);
		last = child;
	}
	if (node->last != last)
		bug("last child is not last");
}

static inline void check_finding(const struct finding *finding)
{
	size_t i;

	if (!span_known(finding->span))
		bug("finding without a place: %s", finding->message);
	check_span(finding->span);
	for (i = 0; i < finding->related.count; i++)
		check_span(finding->related.items[i].span);
}

typedef struct node *reader(struct arena *arena, const struct source *source,
			    struct findings *findings);

/* Reads the bytes with one reader and checks what comes out. */
static inline void check_reader(reader *read, const uint8_t *data, size_t size)
{
	struct arena arena;
	struct findings findings;
	const struct source *source;
	const struct node *root;
	size_t i;

	arena_init(&arena);
	findings_init(&findings, &arena);
	source = source_new(&arena, "fuzz", arena_strndup(&arena, (const char *)data, size), size);
	root = read(&arena, source, &findings);
	if (root)
		check_tree(root, 0);
	else if (!findings_count(&findings, SEVERITY_ERROR))
		bug("no tree and no error");
	for (i = 0; i < findings.list.count; i++)
		check_finding(findings.list.items[i]);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
