#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A regular expression somebody typed (PCRE2, UTF-8), compiled once into an arena. Matching is
 * bounded: an expression that backtracks without end stops matching and says so.
 */
struct pattern;

/* What is wrong with an expression, and at which of its bytes. */
struct pattern_error {
	const char *message;
	size_t offset;
};

/* NULL when the expression is wrong; *error then says how. */
struct pattern *pattern_compile(struct arena *arena, const char *expression,
				struct pattern_error *error);

/* The same; *error is a text that shows the expression with a caret below it. */
struct pattern *pattern_new(struct arena *arena, const char *expression, const char **error);

/* Gives back the machine code, which is not in the arena; the pattern is not used again. */
void pattern_release(struct pattern *pattern);

/* True when the expression matches anywhere in the text. */
bool pattern_finds(struct pattern *pattern, const char *text);

/* A part of a text that parentheses took; text NULL: they took none. */
struct pattern_part {
	const char *text;
	size_t length;
};

/*
 * Whether the expression matches anywhere in `length` bytes; parts[0] is then all that it matched
 * and parts[i] what its i-th parentheses took, for i < count.
 */
bool pattern_take(struct pattern *pattern, const char *text, size_t length,
		  struct pattern_part *parts, size_t count);

/* NULL, or a sentence why some text could not be judged. */
const char *pattern_trouble(const struct pattern *pattern);

/* The version of the library: "10.42 2022-12-11". */
const char *pattern_library(struct arena *arena);

#endif
