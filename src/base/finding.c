#include "base/finding.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void findings_init(struct findings *findings, struct arena *arena)
{
	memset(findings, 0, sizeof(*findings));
	findings->arena = arena;
}

/* Whatever name it quotes, a sentence is one line. */
static const char *line(struct arena *arena, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
static const char *line(struct arena *arena, const char *format, va_list args)
{
	return text_on_line(arena, arena_vprintf(arena, format, args));
}

struct finding *finding_add(struct findings *findings, const struct rule_id *rule, struct span span,
			    const char *format, ...)
{
	struct finding *finding = arena_new(findings->arena, struct finding);
	va_list args;

	finding->rule = rule;
	finding->severity = rule->severity;
	finding->span = span;
	va_start(args, format);
	finding->message = line(findings->arena, format, args);
	va_end(args);
	finding->order = (uint32_t)findings->list.count;
	vec_push(findings->arena, &findings->list, finding);
	return finding;
}

void finding_cap(struct finding *finding, enum severity severity)
{
	if (finding->severity > severity)
		finding->severity = severity;
}

/* Nobody reads more places of one finding. */
enum { RELATED = 100 };

void finding_relate(struct findings *findings, struct finding *finding, struct span span,
		    const char *format, ...)
{
	struct related related = { .span = span };
	va_list args;
	size_t i;

	if (finding->related.count >= RELATED)
		return;
	va_start(args, format);
	related.message = line(findings->arena, format, args);
	va_end(args);
	for (i = 0; i < finding->related.count; i++)
		if (!span_compare(finding->related.items[i].span, span) &&
		    !strcmp(finding->related.items[i].message, related.message))
			return;
	vec_push(findings->arena, &finding->related, related);
}

void finding_edit(struct findings *findings, struct finding *finding, struct span span,
		  const char *format, ...)
{
	struct edit edit = { .span = span };
	va_list args;

	va_start(args, format);
	edit.text = arena_vprintf(findings->arena, format, args);
	va_end(args);
	vec_push(findings->arena, &finding->edits, edit);
}

/* The setters of one text differ only in the member they fill. */
#define SETTER(name, member, text)                                                                 \
	void name(struct findings *findings, struct finding *finding, const char *format, ...)     \
	{                                                                                          \
		va_list args;                                                                      \
                                                                                                   \
		va_start(args, format);                                                            \
		finding->member = text(findings->arena, format, args);                             \
		va_end(args);                                                                      \
	}

SETTER(finding_requested, requested, line)
SETTER(finding_actual, actual, line)
SETTER(finding_consequence, consequence, arena_vprintf)
SETTER(finding_quote, quote, arena_vprintf)
SETTER(finding_fix, fix, line)

static int compare(const void *left, const void *right)
{
	const struct finding *a = *(struct finding *const *)left;
	const struct finding *b = *(struct finding *const *)right;
	int order = span_compare(a->span, b->span);

	if (!order)
		order = strcmp(a->rule->name, b->rule->name);
	if (!order)
		order = a->order < b->order ? -1 : a->order > b->order;
	return order;
}

static bool same(const struct finding *a, const struct finding *b)
{
	return a->rule == b->rule && !span_compare(a->span, b->span) &&
	       !strcmp(a->message, b->message);
}

/* Sorts `count` findings and returns how many there are without repetitions. */
static size_t sort(struct finding **items, size_t count)
{
	size_t i, kept = 0;

	if (!count)
		return 0;
	qsort(items, count, sizeof(*items), compare);
	for (i = 1; i < count; i++)
		if (!same(items[kept], items[i]))
			items[++kept] = items[i];
	return kept + 1;
}

void findings_sort(struct findings *findings)
{
	findings->list.count = sort(findings->list.items, findings->list.count);
	findings->silenced.count = sort(findings->silenced.items, findings->silenced.count);
}

bool findings_have(const struct findings *findings, struct span span, const struct rule_id *one,
		   const struct rule_id *other)
{
	size_t i;

	for (i = 0; i < findings->list.count; i++) {
		const struct finding *finding = findings->list.items[i];
		if ((!one || finding->rule == one || finding->rule == other) &&
		    !span_compare(finding->span, span))
			return true;
	}
	return false;
}

size_t findings_count(const struct findings *findings, enum severity severity)
{
	size_t i, count = 0;

	for (i = 0; i < findings->list.count; i++)
		count += findings->list.items[i]->severity == severity;
	return count;
}

const char *severity_name(enum severity severity)
{
	switch (severity) {
	case SEVERITY_NOTE:
		return "note";
	case SEVERITY_WARNING:
		return "warning";
	case SEVERITY_ERROR:
		return "error";
	}
	return "?";
}
