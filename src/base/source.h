#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

/* One text that findings point into: a config file, stdin, a --set value, a command line. */
struct source {
	const char *path;      /* as shown to people: "train.yaml", "<stdin>", "<--set>" */
	const char *text;      /* NUL-terminated; may hold NULs before `length` */
	size_t length;         /* bytes */
	const uint32_t *lines; /* byte offset of each line's first byte */
	uint32_t line_count;   /* at least 1 */
};

/*
 * A place in a source. Lines and columns count from 1; columns count code
 * points (as libyaml's marks and SARIF's unicodeCodePoints do); the end is
 * exclusive. line 0 means "no place".
 */
struct span {
	const struct source *source;
	uint32_t line, column, end_line, end_column;
};

/* Wraps `text`, which is not copied and must outlive the source. Never fails. */
struct source *source_new(struct arena *arena, const char *path, const char *text, size_t length);

/* The bytes of 1-based `line` without its line break; "" with length 0 past the end. */
const char *source_line(const struct source *source, uint32_t line, size_t *length);

/* The span of the bytes [start, end) of the source. */
struct span source_span(const struct source *source, size_t start, size_t end);

/* The byte offset of a 1-based line and code-point column, clamped to the text. */
size_t source_offset(const struct source *source, uint32_t line, uint32_t column);

/* True when the span names a place. */
int span_known(struct span span);

/* Order of two spans by path, line, column: <0, 0, >0. Spans without a place come first. */
int span_compare(struct span a, struct span b);

#endif
