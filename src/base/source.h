#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

/*
 * One text that findings point into: a config file, stdin, a --set value, a command line.
 * A byte order mark at its start belongs to the text but to no line and no column.
 */
struct source {
	const char *path;      /* as shown to people: "train.yaml", "<stdin>", "<--set>" */
	const char *place;     /* the path from which names in it lead: `path`, or as --in says */
	const char *text;      /* NUL-terminated; may hold NULs before `length` */
	size_t length;	       /* bytes */
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

/*
 * A place that is moved about in a source. Each move costs the distance from the last place, so
 * a reader that walks a text once gets all its spans in linear time, however long the lines are.
 */
struct cursor {
	const struct source *source;
	size_t offset; /* bytes */
	size_t index;  /* code points, not counting a byte order mark */
	uint32_t line, column;
};

void cursor_init(struct cursor *cursor, const struct source *source);

/* Moves to a byte offset (to the start of its code point), clamped to the text. */
void cursor_to_offset(struct cursor *cursor, size_t offset);

/* Moves to a code point, counted from 0; clamped to the text. */
void cursor_to_index(struct cursor *cursor, size_t index);

/* The span between two cursors on one source. */
struct span cursor_span(const struct cursor *start, const struct cursor *end);

/* The span of the bytes [start, end); leaves the cursor at `end`. */
struct span cursor_over(struct cursor *cursor, size_t start, size_t end);

/* True when the span names a place. */
int span_known(struct span span);

/* Order of two spans by path, line, column: <0, 0, >0. Spans without a place come first. */
int span_compare(struct span a, struct span b);

#endif
