#ifndef PLAN_EXCEPTION_H
#define PLAN_EXCEPTION_H

#include "base/finding.h"
#include "plan/plan.h"

/*
 * What a framework raises, once: its model raises the row with its values, and the rule that the
 * row names has the row's text under "Seen as", where `why` looks for it.
 */
struct exception {
	struct saying
		says; /* "ValueError: tp ({n}) ..."; who prints it, NULL: not under "Seen as" */
	const char *where; /* function or file that raises it */
	const char *rule;  /* the rule that reports it */
	const char *also;  /* another rule that has the text, or NULL */
};

/* Rows with the commits or days of the history that they hold from, and up to. */
#define EXCEPTION_FROM(id, since, speaker, text, where, rule)                                      \
	EXCEPTION_IN(id, since, NULL, speaker " from " since " on", text, where, rule)
#define EXCEPTION_UNTIL(id, until, speaker, text, where, rule)                                     \
	EXCEPTION_IN(id, NULL, until, speaker " until " until, text, where, rule)
#define EXCEPTION_BETWEEN(id, since, until, speaker, text, where, rule)                            \
	EXCEPTION_IN(id, since, until, speaker " from " since " until " until, text, where, rule)

/* The rows of a framework; the build lists every table there is. */
struct exceptions {
	const struct exception *rows;
	size_t count;
};

extern const struct exceptions *const exception_tables[]; /* ended by NULL */

/* What takes the place of a part in braces; "{}" stands for itself. */
struct exception_value {
	const char *text; /* NULL: the number */
	int64_t number;
	bool last; /* none: the end of the values */
};

struct exception_value exception_text(const char *text);
struct exception_value exception_number(int64_t number);

#define EXCEPTION_END ((struct exception_value) { .last = true })
#define VALUE(value)                                                                               \
	_Generic((value),                                                                          \
		char *: exception_text,                                                            \
		const char *: exception_text,                                                      \
		default: exception_number)(value)

/* A row with its values; type is NULL where nothing is raised. */
struct told {
	const char *type, *message, *where, *rule;
};

/* exception_tell(arena, row, VALUE(tp), VALUE(name)): one value for each part in braces. */
#define exception_tell(arena, ...) exception_tell_values(arena, __VA_ARGS__, EXCEPTION_END)
struct told exception_tell_values(struct arena *arena, const struct exception *row, ...);

/* A value by the name that stands in braces. */
struct exception_name {
	const char *name; /* NULL: the end */
	struct exception_value value;
};

/* The value by this name is a word that the row's text must have. */
#define EXCEPTION_ABOUT "about"

/* A row whose braces have only such names, with their values; else its type is NULL. */
struct told exception_tell_named(struct arena *arena, const struct exception *row,
				 const struct exception_name *values);

/* exception_raise(plan, row, VALUE(tp)): ends the plan with it; the first error stays. */
#define exception_raise(plan, ...)                                                                 \
	exception_raise_told(plan, exception_tell((plan)->arena, __VA_ARGS__))
void exception_raise_told(struct plan *plan, struct told told);

#endif
