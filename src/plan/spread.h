#ifndef PLAN_SPREAD_H
#define PLAN_SPREAD_H

#include "plan/plan.h"

/*
 * How tensors alike lie over the ranks: every dimension is cut at some points, the boxes between
 * the cuts are the shards, and each rank has one of them. Uneven and strided shards make uneven
 * cuts; empty ones vanish. What a checkpoint holds is the same, with a file in place of a rank; its
 * boxes need not be a grid.
 */
struct spread {
	int dims;
	int64_t shape[PARAMETER_DIMS];
	int64_t parts[PARAMETER_DIMS];	   /* of each dim; 1 where nothing is cut */
	const int64_t *at[PARAMETER_DIMS]; /* parts + 1 cut points, from 0 to the size */
	int64_t boxes;			   /* numbered row-major */
	const struct box *list; /* the boxes by number where they are no grid; else NULL */
	int64_t ranks;
	const int32_t *box_of; /* by rank: which box; -1: an empty shard. NULL: no ranks */
};

/* Ranks and boxes that are looked at; larger plans are not spread. */
enum { SPREAD_RANKS = 1 << 20 };

/* The spread of a parameter over a plan's ranks, whatever stage they are on. */
struct spread *spread_of(struct arena *arena, const struct sharded *sharded, int64_t ranks);

/* True when both parameters have the same size and lie over the ranks alike. */
bool sharded_alike(const struct sharded *a, const struct sharded *b);

/*
 * The spread of boxes that were read somewhere; as a grid where they are one. Boxes without
 * elements are left out: number[i] is where box i stands in the spread, or -1.
 */
struct spread *spread_of_boxes(struct arena *arena, int dims, const int64_t *shape,
			       const struct box *boxes, int64_t count, int32_t *number);

/* A box by its number. */
struct box spread_box(const struct spread *spread, int64_t number);

/* Elements of the whole tensor. */
int64_t spread_volume(const struct spread *spread);

#endif
