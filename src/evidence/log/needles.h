#ifndef EVIDENCE_LOG_NEEDLES_H
#define EVIDENCE_LOG_NEEDLES_H

#include "base/arena.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Many literals looked for at once, most bytes of a text never read: Wu and Manber, "A fast
 * algorithm for multi-pattern searching", 1994, with blocks of three bytes.
 */
enum { NEEDLE_LEAST = 8 }; /* bytes of the shortest literal */

struct needle {
	const char *text;
	size_t length;
	uint32_t id;   /* whose it is: of several needles that are equal each is found */
	uint32_t head; /* its first bytes: most places that lead to it differ there */
	uint32_t next; /* 1 + the next of its bucket; 0: none */
};

struct needles {
	struct arena *arena;
	VEC(struct needle) list;
	size_t window;	 /* bytes of each that are looked at first */
	uint8_t *shift;	 /* by block: how far to go on */
	uint32_t *first; /* by block: 1 + the first needle whose window ends in it */
};

void needles_init(struct needles *needles, struct arena *arena);

/* Takes in a literal of NEEDLE_LEAST bytes or more, which must outlive the needles. */
void needles_add(struct needles *needles, const char *text, size_t length, uint32_t id);

/* Makes the tables; nothing is added afterwards. */
void needles_close(struct needles *needles);

/* Calls `found` for every place of every needle, from left to right. */
void needles_scan(const struct needles *needles, const char *text, size_t length,
		  void (*found)(void *context, uint32_t id, size_t at), void *context);

#endif
