#ifndef EVIDENCE_TABLE_H
#define EVIDENCE_TABLE_H

#include "evidence/observed/observed.h"

/* Calls of one operation and size on the groups of a family, as one rank makes them. */
struct seen_traffic {
	const struct group_flow *first;
	double bytes; /* of one call's larger side, of the largest where they differ; -1: not known
		       */
	bool differs; /* calls are of different sizes: tokens to experts */
	double count; /* calls per step, of the rank with most; of all the evidence without marks */
	bool per_step;
	double shortest; /* us, of the quickest; 0: not known */
	double mean;	 /* us, of all that were timed; 0: not known */
	double spent;	 /* us: their sum */
	int64_t timed;
	double bus; /* GB/s at that time, as nccl-tests counts bus bandwidth; 0: not known */
};

struct seen_table {
	struct map index;	       /* of rows, by what makes calls the same */
	VEC(struct seen_traffic) rows; /* the most bytes first */
};

/* The traffic on one family, by index. */
struct seen_table table_of(const struct observed *observed, int32_t family);

/*
 * The kind of files that tells most of a family's calls: sizes, times, steps. What others tell of
 * the same calls is in no table. NULL: no file has any.
 */
const struct evidence_source *table_source(const struct observed *observed, int32_t family);

/*
 * A rank that comes last to its group's calls: it waits least in them, the others for it. Times of
 * calls on the device hold that waiting, so this needs those of two ranks of one group.
 */
struct seen_straggler {
	int64_t rank;	/* -1: none is known to */
	int64_t others; /* ranks of the group it is held against, or were, where none is known to */
	double wait;	/* us: what the one that waits longest waits per call, in the mean */
	int64_t calls;	/* of that rank, timed */
};

/* The one of the family's groups that costs most; only waits of some weight count. */
struct seen_straggler straggler_of(const struct observed *observed, int32_t family);

#endif
