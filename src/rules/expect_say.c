#include "rules/expect.h"

#include "base/text.h"
#include "input/field.h"
#include "input/node.h"

#include <stdarg.h>
#include <string.h>

/* What judges and the walk over expect: have to say, in one voice. */

/* "expect.groups.tp", wherever it was written; an element of a list is called by its text. */
static const char *name_of(const struct job *job, const struct node *node)
{
	return node->key || node->kind != NODE_SCALAR ? node_path(job->arena, node) : node->text;
}

/* Where a key stands; the value's place for what has none. */
static struct span place_of(const struct node *node)
{
	return node->key && span_known(node->key_span) ? node->key_span : node->span;
}

struct finding *expect_failed(const struct expected *expected, const struct node *want,
			      const char *format, ...)
{
	va_list args;
	char *message;

	va_start(args, format);
	message = arena_vprintf(expected->job->arena, format, args);
	va_end(args);
	return finding_add(expected->job->findings, expected->rule->id, want->span, "%s", message);
}

static const char *listed(struct arena *arena, const char *const *names, size_t count)
{
	enum { SHOWN = 16 };
	char *all = arena_strdup(arena, "");
	size_t i;

	for (i = 0; i < count && i < SHOWN; i++)
		all = arena_printf(arena, "%s%s%s", all, i ? ", " : "", names[i]);
	return count > SHOWN ? arena_printf(arena, "%s, ...", all) : all;
}

void expect_unknown(struct job *job, const struct node *node, const char *const *names,
		    size_t count)
{
	const char *word = node->key ? node->key : node->kind == NODE_SCALAR ? node->text : "";
	const char *near = text_nearest(word, names, count);
	struct finding *finding;

	finding = finding_add(job->findings, rule_find("expect-unknown")->id, place_of(node),
			      "nothing is known by the name %s: it is none of %s",
			      name_of(job, node), listed(job->arena, names, count));
	if (!near)
		return;
	finding_fix(job->findings, finding, "did you mean %s?", near);
	finding_edit(job->findings, finding, place_of(node), "%s", near);
}

void expect_unjudged(struct job *job, const struct node *node, const char *format, ...)
{
	va_list args;
	char *what;

	va_start(args, format);
	what = arena_vprintf(job->arena, format, args);
	va_end(args);
	finding_add(job->findings, rule_find("expect-unjudged")->id, place_of(node),
		    "%s is not judged: it needs %s", name_of(job, node), what);
}

void expect_misshapen(struct job *job, const struct node *node, const char *what)
{
	finding_add(job->findings, &rule_wrong_type, node->span, "%s takes %s, not %s",
		    name_of(job, node), what, node_describe(job->arena, node));
}

static bool are_names(const struct node *node)
{
	const struct node *item;

	if (node->kind != NODE_LIST)
		return node->kind == NODE_SCALAR && node->type == SCALAR_STRING;
	for (item = node->first; item; item = item->next)
		if (!are_names(item) || item->kind == NODE_LIST)
			return false;
	return true;
}

static bool fits(const struct node *node, enum shape shape)
{
	switch (shape) {
	case SHAPE_WORD:
		return field_fits(FIELD_TEXT, node);
	case SHAPE_COUNT:
		return field_fits(FIELD_INT, node);
	case SHAPE_NUMBER:
		return field_fits(FIELD_REAL, node);
	case SHAPE_NAMES:
		return are_names(node);
	case SHAPE_MAP:
		return node->kind == NODE_MAP;
	}
	return false;
}

bool expect_shape(struct job *job, const struct node *node, enum shape shape, const char *words)
{
	static const enum field_type types[] = {
		[SHAPE_WORD] = FIELD_TEXT,  [SHAPE_COUNT] = FIELD_INT, [SHAPE_NUMBER] = FIELD_REAL,
		[SHAPE_NAMES] = FIELD_LIST, [SHAPE_MAP] = FIELD_NODE,
	};
	struct decoder decoder = { job->arena, &job->settings, job->findings };
	bool number = shape == SHAPE_COUNT || shape == SHAPE_NUMBER;

	if (!fits(node, shape)) {
		field_wrong_type(&decoder, types[shape], name_of(job, node), node);
		return false;
	}
	if (shape == SHAPE_WORD && !words_have(words, node->text)) {
		field_bad_word(&decoder, words, name_of(job, node), node);
		return false;
	}
	if (number && node->number <= 0) {
		expect_misshapen(job, node, "a number above 0");
		return false;
	}
	return true;
}
