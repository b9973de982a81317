#ifndef EVIDENCE_LOG_WINDOW_H
#define EVIDENCE_LOG_WINDOW_H

#include "base/arena.h"
#include "evidence/log/phrase.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Some lines of a log one behind the other, once as they are and once without blanks: a phrase that
 * was broken over lines is whole in the second, and told from the first.
 */
enum { WINDOW_BYTES = 4096, WINDOW_LINES = 32, PRINTED_MOST = 560 };

/* Where a line begins, which it is, and whose (-1: nobody's). */
struct window_line {
	size_t at;
	size_t line;
	int64_t rank;
};

struct log_window {
	char text[WINDOW_BYTES], packed[WINDOW_BYTES];
	uint16_t origin[WINDOW_BYTES]; /* of each packed byte in the text */
	size_t length, packed_length;
	struct window_line lines[WINDOW_LINES];
	size_t count;
};

void log_window_clear(struct log_window *window);

/* Adds a line, or what of it there is room for; false when there is no room at all. */
bool log_window_add(struct log_window *window, const char *text, size_t length, size_t line,
		    int64_t rank);

/* The line a packed byte is in. */
const struct window_line *log_window_at(const struct log_window *window, size_t packed);

/*
 * What was printed around a match, in one line of PRINTED_MOST bytes at most: from the start of the
 * match's first line to the end of its last, where they are not too long. UTF-8.
 */
const char *log_window_printed(struct arena *arena, const struct log_window *window,
			       const struct phrase_match *match);

/* The text of [from, to) of the packed bytes, with the blanks it had. */
const char *log_window_part(struct arena *arena, const struct log_window *window, size_t from,
			    size_t to);

/* A line of a log as it can be shown: one line of UTF-8 without control characters. */
const char *log_shown(struct arena *arena, const char *text, size_t length);

#endif
