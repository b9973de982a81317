#ifndef LSP_POSITION_H
#define LSP_POSITION_H

#include "base/json.h"
#include "base/source.h"
#include "input/node.h"

/*
 * Places as editors count them: lines from 0, and in a line the units of UTF-16 before it. Where
 * the text is no UTF-8 each byte is a unit.
 */
struct position {
	uint32_t line, unit;
};

/* A position of a message: {"line": 3, "character": 8}; 0:0 where there is none. */
struct position position_read(const struct node *node);

/* Its byte in a text, at most the end of its line. */
size_t position_offset(const struct source *source, struct position position);

struct position position_of(const struct source *source, size_t offset);

/* True when the place is in the span, its end included. */
bool position_within(const struct source *source, struct span span, size_t offset);

/* Writes {"start": ..., "end": ...} of a span in its own source; no place is the text's start. */
void position_range(struct json_writer *json, const char *key, struct span span);

/* The same of two bytes. */
void position_bytes(struct json_writer *json, const char *key, const struct source *source,
		    size_t start, size_t end);

#endif
