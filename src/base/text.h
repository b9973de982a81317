#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool text_starts(const char *text, const char *prefix);
bool text_ends(const char *text, const char *suffix);

/* True when the word is somewhere in the first `length` bytes, which may hold NULs. */
bool text_mentions(const char *text, size_t length, const char *word);

/* Where it is first; NULL: nowhere. */
const char *text_find(const char *text, size_t length, const char *word);

/* A whole decimal integer with optional sign; false on anything else, also on overflow. */
bool text_to_int(const char *text, int64_t *value);

/* One to `most` (at most 18) decimal digits at *at, which moves behind them; false when there are
 * others. */
bool text_digits(const char **at, size_t most, int64_t *value);

/* A copy with '-' for '_'. */
char *text_dashed(struct arena *arena, const char *text);

/* A whole decimal or scientific number in the C locale; false on anything else. */
bool text_to_double(const char *text, double *value);

/* Lower case (ASCII) copy. */
char *text_lower(struct arena *arena, const char *text);

/* The text with A to Z for a to z. */
char *text_upper(struct arena *arena, const char *text);

/*
 * True when the name matches a pattern of dot-separated parts, where "*"
 * stands for one whole part: "layers.*.attention.wq" (TorchTitan's TP plans).
 */
bool text_matches(const char *pattern, const char *name);

/* Damerau-Levenshtein distance (optimal string alignment), at most `limit` + 1. */
size_t text_distance(const char *a, const char *b, size_t limit);

/* Whether it is one of the names. */
bool text_among(const char *text, const char *const *names, size_t count);

/*
 * The candidate nearest to `name`, or NULL when none is near enough to be
 * worth saying: distance at most 2 (1 up to four letters, 3 from twelve).
 */
const char *text_nearest(const char *name, const char *const *candidates, size_t count);

/*
 * A copy with indented lines (or all lines) joined to the line before by one blank, and no blanks
 * at the end: exceptions keep the indentation of their source.
 */
char *text_join_lines(struct arena *arena, const char *text, bool all);

/*
 * On one line: a line break becomes the two characters "\n", so that what somebody wrote into a
 * name makes no line of its own. The text itself where it has none.
 */
const char *text_on_line(struct arena *arena, const char *text);

/* True when both hold the same digits in the same order: "llama-3-8b" and "llama3-8b". */
bool text_same_digits(const char *left, const char *right);

/*
 * Writes a line of a log, as any terminal got it, to `plain` (length + 1 bytes): without escape
 * sequences that colour it, and with "?" for each byte that is no printable ASCII; tabs are blanks.
 */
size_t text_plain(const char *text, size_t length, char *plain);

/* Code points in the first `length` bytes. */
size_t text_width(const char *text, size_t length);

/* True when `length` bytes are well-formed UTF-8; else *bad is the offset of the first bad byte. */
bool text_is_utf8(const char *text, size_t length, size_t *bad);

/* "27,264,000"; "1.25 GiB" (binary, three significant digits). */
char *text_count(struct arena *arena, int64_t n);
char *text_bytes(struct arena *arena, double bytes);

/* A probability in percent: "3 %", "under 1 %", "over 99 %". */
const char *text_probability(struct arena *arena, double probability);

#endif
