#ifndef LSP_MESSAGE_H
#define LSP_MESSAGE_H

#include "base/buf.h"

#include <stdbool.h>

/*
 * Messages as they come over a pipe: a header with Content-Length, an empty line, and so many bytes
 * of JSON (Language Server Protocol 3.17, base protocol). Whoever sends may send anything.
 */
enum { MESSAGE_HEADER = 4096, MESSAGE_BYTES = 16 << 20 };

struct message_reader {
	struct buf bytes; /* what has come; the first `taken` are given out */
	size_t taken;
	const char *broken; /* what is wrong: nothing can be read any more; or NULL */
};

void message_begin(struct message_reader *reader);
void message_end(struct message_reader *reader);

/* Adds what has come. */
void message_feed(struct message_reader *reader, const char *bytes, size_t length);

/* The next whole message, good until the next call; false when more must come first. */
bool message_next(struct message_reader *reader, const char **json, size_t *length);

#endif
