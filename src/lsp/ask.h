#ifndef LSP_ASK_H
#define LSP_ASK_H

#include "base/arena.h"
#include "base/buf.h"

/*
 * Work that is done in a copy of this process, whose answer comes over a pipe. What the copy takes
 * of memory goes with it, it may give up rights that the server needs for the next file, and when
 * it crashes or hangs the server goes on and says so.
 */
struct answer {
	const char *text;    /* in the arena, NUL-terminated; NULL where there is none */
	const char *trouble; /* "it ended by signal 11", or NULL */
};

struct answer ask(struct arena *arena, double seconds,
		  void (*work)(const void *question, struct buf *out), const void *question);

/* Seconds of a clock that only goes forward. */
double ask_now(void);

#endif
