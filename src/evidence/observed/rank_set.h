#ifndef EVIDENCE_OBSERVED_RANK_SET_H
#define EVIDENCE_OBSERVED_RANK_SET_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ranks somebody named, as bits: zero-initialised it is empty. */
struct rank_set {
	uint8_t *bits;
	size_t capacity; /* bytes */
	int64_t count;
};

/* Takes in a rank; one below 0 or above RANK_SET_MOST is left out. */
enum { RANK_SET_MOST = (1 << 24) - 1 };
void rank_set_add(struct arena *arena, struct rank_set *set, int64_t rank);

bool rank_set_has(const struct rank_set *set, int64_t rank);

/* Takes in all of another set. */
void rank_set_join(struct arena *arena, struct rank_set *set, const struct rank_set *other);

/* "0-3, 6"; NULL when it is empty. */
const char *rank_set_text(struct arena *arena, const struct rank_set *set);

#endif
