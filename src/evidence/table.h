#ifndef EVIDENCE_TABLE_H
#define EVIDENCE_TABLE_H

#include "evidence/observed.h"

/* Calls of one operation and size on the groups of a family, as one rank makes them. */
struct seen_traffic {
	const struct group_flow *first;
	double bytes; /* of one call's larger side, of the largest where they differ; -1: not known
		       */
	bool differs; /* calls are of different sizes: tokens to experts */
	double count; /* calls per step, of the rank with most; of all the evidence without marks */
	bool per_step;
	double shortest; /* us, of the quickest; 0: not known */
	double bus;	 /* GB/s at that time, as nccl-tests counts bus bandwidth; 0: not known */
};

struct seen_table {
	VEC(struct seen_traffic) rows; /* the most bytes first */
};

/* The traffic on one family, by index. */
struct seen_table table_of(const struct observed *observed, int32_t family);

#endif
