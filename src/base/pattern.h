#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include "base/arena.h"

#include <stdbool.h>

/*
 * A regular expression somebody typed (PCRE2, UTF-8), compiled once into an arena. Matching is
 * bounded: an expression that backtracks without end stops matching and says so.
 */
struct pattern;

/* NULL when the expression is wrong; *error then says where, with a caret below it. */
struct pattern *pattern_new(struct arena *arena, const char *expression, const char **error);

/* True when the expression matches anywhere in the text. */
bool pattern_finds(struct pattern *pattern, const char *text);

/* NULL, or a sentence why some text could not be judged. */
const char *pattern_trouble(const struct pattern *pattern);

#endif
