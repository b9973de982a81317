#ifndef BASE_STREAM_H
#define BASE_STREAM_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A text that is read a piece at a time: traces and logs are larger than memory should be. One
 * window of the text is kept; it grows to STREAM_PIECE bytes at most.
 */
enum { STREAM_HEAD = 64 * 1024, STREAM_PIECE = 16 * 1024 * 1024 };

struct text_stream {
	struct arena *arena;
	int fd; /* -1: all of the text is in the window */
	char *window;
	size_t start, end, capacity; /* unread bytes are [start, end) of the window */
	bool over;		     /* there is nothing behind the window */
	const char *error;	     /* why: what is behind it cannot be read; or NULL at the end */
	bool lent;		     /* somebody else closes `fd` */
	size_t line;		     /* lines given out */
};

/* Opens a file, or stdin for "-"; returns NULL, or why not. */
const char *stream_open(struct text_stream *stream, struct arena *arena, const char *path);

/* The same over what is open already, which stays so when the stream is closed. */
void stream_from(struct text_stream *stream, struct arena *arena, int fd);

/* The same over a text in memory, which is copied. */
void stream_of(struct text_stream *stream, struct arena *arena, const char *text, size_t length);

void stream_close(struct text_stream *stream);

/* Makes the window hold `length` unread bytes; false when the text is over before, or the window
 * is full. */
bool stream_need(struct text_stream *stream, size_t length);

/* The first STREAM_HEAD unread bytes, or what there is, as a copy that ends in NUL; reads nothing
 * away. Bytes of zero are blanks in it. */
const char *stream_head(struct text_stream *stream);

/*
 * The next line without its break, good until the next call; false at the end. What of a line is
 * beyond STREAM_PIECE bytes is dropped.
 */
bool stream_line(struct text_stream *stream, const char **text, size_t *length);

/*
 * The same a part at a time: of a line longer than `most` bytes (at most STREAM_PIECE) the first
 * ones, then the next. `line` counts a line when its last part is given out: where *ends is true.
 */
bool stream_part(struct text_stream *stream, size_t most, const char **text, size_t *length,
		 bool *ends);

/* All that is left, in the arena and NUL-terminated; NULL when it is more than `limit` bytes. */
char *stream_rest(struct text_stream *stream, size_t limit, size_t *length);

#endif
