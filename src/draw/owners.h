#ifndef DRAW_OWNERS_H
#define DRAW_OWNERS_H

#include "plan/plan.h"
#include "plan/spread.h"

/* Which ranks hold each block of a tensor. */
enum { OWNERS_NAMED = 3 };

/* The ranks that hold one block, in rising order. */
struct owner {
	int64_t count;
	int64_t first[OWNERS_NAMED]; /* as many of them as there are */
	int64_t place;		     /* their coordinate along the axis; -1: not all the same */
};

struct owners {
	const struct sharded *sharded;
	struct spread *spread;
	struct owner *block; /* by number of the box */
	struct owner none;   /* ranks of the stage that hold nothing */
	int64_t ranks;	     /* of the parameter's stage */
};

/*
 * Looks at every rank once. `axis` (may be NULL) gives the places. Only for worlds of at most
 * SPREAD_RANKS ranks.
 */
struct owners owners_of(struct arena *arena, const struct plan *plan, const struct sharded *sharded,
			const struct layout *axis);

/* "0, 8, 16 ⋯ ×4": the first ranks, at most `most` of them, and how many there are. */
char *owner_text(struct arena *arena, const struct owner *owner, int most);

/*
 * What FSDP2 makes of the rows (columns, ...) of a part that starts at `offset` of a dim: each
 * shard is as long as the first one, short ones are padded. 0: fully_shard does not cut that dim.
 */
int64_t owners_padded(const struct plan *plan, const struct sharded *sharded, int dim,
		      int64_t rank);

#endif
