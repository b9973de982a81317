#ifndef TEST_READING_H
#define TEST_READING_H

/*
 * One text read by one reader, shown as text: trees as "{tp: 8, lr: 1e-05f, on: true, a: ['x',
 * null]}" (floats end in f, strings are quoted), findings as "3:2 error syntax-error".
 */
#include "base/buf.h"
#include "base/finding.h"
#include "input/node.h"
#include "input/syntax/reader.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct node *reader(struct arena *arena, const struct source *source,
			    struct findings *findings);

struct reading {
	struct arena arena;
	struct findings findings;
	const struct source *source;
	struct node *root;
	struct buf out;
};

static inline void reading_begin(struct reading *reading, reader *read, const char *text,
				 size_t length)
{
	arena_init(&reading->arena);
	buf_init(&reading->out);
	findings_init(&reading->findings, &reading->arena);
	reading->source = source_new(&reading->arena, "x", text, length);
	reading->root = read(&reading->arena, reading->source, &reading->findings);
}

static inline void reading_end(struct reading *reading)
{
	buf_release(&reading->out);
	arena_release(&reading->arena);
}

static inline void show_scalar(struct buf *out, const struct node *node)
{
	if (node->unresolved) {
		buf_printf(out, "?%s", node->unresolved);
		return;
	}
	switch (node->type) {
	case SCALAR_NULL:
		buf_text(out, "null");
		break;
	case SCALAR_BOOL:
		buf_text(out, node->boolean ? "true" : "false");
		break;
	case SCALAR_INT:
		buf_printf(out, "%" PRId64, node->integer);
		break;
	case SCALAR_FLOAT:
		buf_printf(out, "%gf", node->number);
		break;
	case SCALAR_STRING:
		buf_printf(out, "'%s'", node->text);
	}
}

static inline void show_node(struct buf *out, const struct node *node)
{
	const struct node *child;

	if (node->kind == NODE_SCALAR) {
		show_scalar(out, node);
		return;
	}
	buf_char(out, node->kind == NODE_MAP ? '{' : '[');
	for (child = node->first; child; child = child->next) {
		if (child->key)
			buf_printf(out, "%s: ", child->key);
		show_node(out, child);
		if (child->next)
			buf_text(out, ", ");
	}
	buf_char(out, node->kind == NODE_MAP ? '}' : ']');
}

/* The tree, or "-" when there is none. */
static inline const char *reading_tree(struct reading *reading)
{
	buf_clear(&reading->out);
	if (reading->root)
		show_node(&reading->out, reading->root);
	else
		buf_char(&reading->out, '-');
	return reading->out.data;
}

/* All findings, separated by "; ", related places behind " <- ". */
static inline const char *reading_findings(struct reading *reading)
{
	size_t i;

	buf_clear(&reading->out);
	for (i = 0; i < reading->findings.list.count; i++) {
		const struct finding *finding = reading->findings.list.items[i];
		buf_printf(&reading->out, "%s%u:%u %s %s", i ? "; " : "", finding->span.line,
			   finding->span.column, severity_name(finding->severity),
			   finding->rule->name);
		if (finding->related.count)
			buf_printf(&reading->out, " <- %u:%u", finding->related.items[0].span.line,
				   finding->related.items[0].span.column);
	}
	return reading->out.data;
}

/* "key 2:1-2:3, value 2:5-2:6" of the node at a dotted path. */
static inline const char *reading_place(struct reading *reading, const char *path)
{
	const struct node *node = node_find(reading->root, path);

	buf_clear(&reading->out);
	if (node)
		buf_printf(&reading->out, "key %u:%u-%u:%u, value %u:%u-%u:%u", node->key_span.line,
			   node->key_span.column, node->key_span.end_line,
			   node->key_span.end_column, node->span.line, node->span.column,
			   node->span.end_line, node->span.end_column);
	return reading->out.data;
}

struct tree_case {
	const char *text, *tree, *findings;
};

static inline void check_trees(reader *read, const struct tree_case *cases, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct reading reading;
		reading_begin(&reading, read, cases[i].text, strlen(cases[i].text));
		assert_string_equal(reading_tree(&reading), cases[i].tree);
		assert_string_equal(reading_findings(&reading), cases[i].findings);
		reading_end(&reading);
	}
}

struct place_case {
	const char *path, *place;
};

static inline void check_places(reader *read, const char *text, const struct place_case *cases,
				size_t count)
{
	struct reading reading;
	size_t i;

	reading_begin(&reading, read, text, strlen(text));
	assert_string_equal(reading_findings(&reading), "");
	for (i = 0; i < count; i++)
		assert_string_equal(reading_place(&reading, cases[i].path), cases[i].place);
	reading_end(&reading);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
