#ifndef PLAN_MEETING_H
#define PLAN_MEETING_H

#include "plan/reshard.h"

/*
 * Where a saved spread and a new one meet: which saved boxes each new box overlaps. Grids meet
 * dimension by dimension, as ranges of parts; boxes that are no grid are listed.
 */
struct meeting {
	const struct spread *old, *new;
	bool cut_off; /* a list with more overlaps than are listed */
	int32_t *first[PARAMETER_DIMS], *last[PARAMETER_DIMS]; /* by part of the new dim */
	int32_t *start,
		*met; /* by new box, where the old ones are a list: met[start[b]..start[b+1])
		       */
};

/* How much of a saved tensor one new box concerns. */
struct overlap {
	int64_t needed, read; /* elements: of the new box; of all old boxes it overlaps */
	int64_t boxes;
};

/* Both spreads are of tensors of one size. */
void meeting_init(struct meeting *meeting, struct arena *arena, const struct spread *old,
		  const struct spread *new);

struct overlap meeting_overlap(const struct meeting *meeting, int64_t new_box);

/* Goes over the old boxes that a new one overlaps, in their order. */
struct walk {
	const struct meeting *meeting;
	int64_t part[PARAMETER_DIMS], first[PARAMETER_DIMS], last[PARAMETER_DIMS];
	int64_t at, end; /* lists */
	bool over;
};

void walk_begin(struct walk *walk, const struct meeting *meeting, int64_t new_box);

/* The next old box, or -1. */
int64_t walk_next(struct walk *walk);

#endif
