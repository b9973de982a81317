#ifndef BASE_UNPACKED_H
#define BASE_UNPACKED_H

#include "base/process.h"
#include "base/stream.h"

/* A file as a text; of one that gzip or zstd packed, what they unpack of it. */
struct unpacked {
	struct text_stream text; /* to be read */
	struct text_stream file;
	struct process_pipe pipe;
	const char *program; /* that unpacks it, or NULL */
};

/*
 * Opens a file, or stdin for "-", whose text must come unpacked; returns NULL, or why not. What was
 * opened is to be closed.
 */
const char *unpacked_open(struct unpacked *unpacked, struct arena *arena, const char *path);

/* Closes it and returns NULL, or why less was read of it than there is: a read that failed, data
 * that could not be unpacked. Nothing is missed where the reader had stopped by itself. */
const char *unpacked_close(struct unpacked *unpacked);

/* True when a text begins as packed ones do. */
bool unpacked_is(struct text_stream *stream);

#endif
