#ifndef EVIDENCE_OBSERVED_RANKS_H
#define EVIDENCE_OBSERVED_RANKS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Ranks as traces and dumps write them. */
struct rank_list {
	const int64_t *ranks; /* rising; NULL: not all of them are told */
	int64_t count;
};

struct node;

/*
 * The ranks of a list of numbers, or of a text of one: "[0, 1, 2]", "0,1". A text that is
 * shortened ("[0, 1, ..., 63]"), or is none, has no ranks and no count.
 */
struct rank_list rank_list_of(struct arena *arena, const struct node *node);

/* Whether the rank is one of them; also where they are not told. */
bool rank_list_holds(const struct rank_list *list, int64_t rank);

/* The number behind the last "rank", "rank_" or "rank-" in the file's name; or -1. */
int64_t rank_of_name(const char *path);

/* The number at the end of the file's name but for its extensions; or -1. */
int64_t rank_at_end(const char *path);

#endif
