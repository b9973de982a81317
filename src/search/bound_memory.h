#ifndef SEARCH_BOUND_MEMORY_H
#define SEARCH_BOUND_MEMORY_H

#include "search/bound.h"

/* What a layout's ranks keep beside activations; `reshard`: whether parameters stay gathered. */
void bound_memory_begin(struct layout_bounds *layout, const char *reshard);

/* Fills in the memory of the fullest rank and what it needs of that, at least. */
void bound_memory(const struct layout_bounds *layout, const struct activations *sizes,
		  struct bound *bound);

/*
 * The share of an average rank's bytes that one with so many blocks has at least. Where some have
 * experts, all others may be its.
 */
double bound_share(const struct layout_bounds *layout, int64_t count);

/* Of so many blocks of one rank, whichever they are: bytes or seconds, `each` of either kind. */
double bound_of_stage(const struct layout_bounds *layout, const double each[KINDS], double count);

/* Whether ranks share what is no expert's, if only those of context parallelism. */
bool bound_shares_dense(const struct layout_bounds *layout);

#endif
