#ifndef DRAW_BLOCKS_H
#define DRAW_BLOCKS_H

#include "draw/cluster.h"
#include "draw/owners.h"

/*
 * One tensor as a table of the blocks that ranks hold: the first dim that is cut makes the rows,
 * the second one the columns; of any other dim that is cut the first part is shown.
 */
struct side {
	int dim; /* of the tensor; -1: not cut, one row or column */
	struct fold fold;
};

struct blocks {
	struct arena *arena;
	const struct plan *plan;
	const struct sharded *sharded;
	struct owners owners;
	struct side down, across;
	bool more; /* a third dim is cut, too */
};

/* `axis` (may be NULL) is what owners are placed along; `expand` leaves no part out. */
void blocks_init(struct blocks *blocks, struct arena *arena, const struct plan *plan,
		 const struct sharded *sharded, const struct layout *axis, bool expand);

/* Shows one column less. */
void blocks_fold(struct blocks *blocks);

/* True when a mesh dim of more than one rank cuts the tensor. */
bool blocks_cut(const struct mesh_dim *dim);

/* Who holds the block in that row and column, counted among those shown. */
const struct owner *blocks_owner(const struct blocks *blocks, int64_t row, int64_t column);

/* How many indices a row or column has; 1 where the dim is not cut. */
int64_t blocks_length(const struct blocks *blocks, const struct side *side, int64_t position);

/* "512–1,023", "7", "all": which indices they are. */
const char *blocks_range(const struct blocks *blocks, const struct side *side, int64_t position);

/* To how many indices FSDP2 pads a row in its collectives; 0: it does not. */
int64_t blocks_padded(const struct blocks *blocks, int64_t row);

/* The mesh dim that cuts the rows first, where another one cuts what it leaves; else NULL. */
const struct mesh_dim *blocks_outer(const struct blocks *blocks);

/* Which of its slices a row is in. */
int64_t blocks_slice(const struct blocks *blocks, const struct mesh_dim *outer, int64_t row);

/* "tp cuts dim 0 in 8, then fsdp cuts each piece of dim 0 in 4; dp_replicate repeats it 2 times" */
const char *blocks_words(const struct blocks *blocks);

#endif
