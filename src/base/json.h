#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/source.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * JSON out: compact, members in the order written, into a buffer. The writer
 * puts the commas; bad nesting is a bug. `key` is NULL inside arrays.
 */
struct json_writer {
	struct buf *out;
	int depth;
	bool comma; /* the next value needs one */
};

void json_begin(struct json_writer *json, struct buf *out);
void json_object(struct json_writer *json, const char *key);
void json_object_end(struct json_writer *json);
void json_array(struct json_writer *json, const char *key);
void json_array_end(struct json_writer *json);
void json_string(struct json_writer *json, const char *key, const char *value); /* NULL: null */
void json_int(struct json_writer *json, const char *key, int64_t value);
void json_ints(struct json_writer *json, const char *key, const int64_t *items, int count);
void json_double(struct json_writer *json, const char *key, double value); /* 9 digits; NaN: null */
void json_bool(struct json_writer *json, const char *key, bool value);
void json_null(struct json_writer *json, const char *key);
void json_raw(struct json_writer *json, const char *key, const char *text); /* that is JSON */

/* A JSON string literal with its quotes; invalid UTF-8 becomes U+FFFD. */
void json_quote(struct buf *out, const char *text);

/*
 * JSON in: a pull reader with byte offsets. Strict RFC 8259: numbers, escapes
 * and UTF-8 are checked, depth is capped; duplicate keys are the caller's
 * affair. The first error ends the stream.
 */
enum json_token {
	JSON_END, /* the text is over */
	JSON_ERROR,
	JSON_OBJECT,
	JSON_OBJECT_END,
	JSON_ARRAY,
	JSON_ARRAY_END,
	JSON_KEY,
	JSON_STRING,
	JSON_NUMBER,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL
};

enum { JSON_DEPTH = 256 };

struct json_reader {
	const char *text;
	size_t length, at;
	struct arena *arena; /* strings of tokens go here */
	size_t start, end;   /* byte range of the current token, quotes included */
	const char *value;   /* KEY, STRING: decoded; NUMBER: as written */
	const char *error;   /* what was wrong, at `start` */
	/* private */
	int depth;
	char stack[JSON_DEPTH];
	int state;
};

void json_open(struct json_reader *json, struct arena *arena, const char *text, size_t length);
enum json_token json_next(struct json_reader *json);

#endif
