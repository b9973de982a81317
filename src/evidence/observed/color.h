#ifndef EVIDENCE_OBSERVED_COLOR_H
#define EVIDENCE_OBSERVED_COLOR_H

#include "base/arena.h"

#include <stdint.h>

/*
 * The colour that PyTorch gives ncclCommSplit for a group: the hash of the tuple of its global
 * ranks as CPython (3.8 and later) computes it, below 2^31 (_process_group_color in
 * torch/distributed/distributed_c10d.py).
 */
int64_t split_color(const int64_t *ranks, int64_t count);

/* The other way round, by trying: every attempt costs, and all together are bounded. */
struct split_decoder {
	struct arena *arena;
	int64_t world; /* ranks lie below it */
	int64_t work;  /* ranks hashed so far */
};

/*
 * The members, rising, of the group of `size` with that colour, one of whose members is the global
 * rank `rank` (-1: not known) at place `key`. Tried are ranks a stride apart, and, around a known
 * rank, rows of them whose strides divide the world. NULL: none fits, or several do.
 */
const int64_t *split_members(struct split_decoder *decoder, int64_t color, int64_t size,
			     int64_t rank, int64_t key);

#endif
