#ifndef PLAN_PLACEMENT_H
#define PLAN_PLACEMENT_H

#include "base/arena.h"
#include "plan/model.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * How one mesh dimension treats a tensor, in DTensor's terms
 * (torch/distributed/tensor/placement_types.py).
 */
enum placement_kind {
	PLACE_REPLICATE,
	PLACE_SHARD,	     /* torch.chunk along `dim` */
	PLACE_STRIDED_SHARD, /* `dim` was already cut `factor` ways by a mesh dim to the right */
	PLACE_PARTIAL
};

struct placement {
	enum placement_kind kind;
	int dim;	/* SHARD, STRIDED_SHARD */
	int64_t factor; /* STRIDED_SHARD: the split factor */
};

/* "R", "S(0)", "SS(0,2)", "P". */
char *placement_text(struct arena *arena, struct placement placement);

/* Reads one such word; false when it is none. */
bool placement_parse(const char *text, struct placement *placement);

/* The part of a tensor that one rank owns. */
struct box {
	int dims;
	int64_t shape[PARAMETER_DIMS], offset[PARAMETER_DIMS];
};

int64_t box_volume(const struct box *box);

/* Whether neither lies beside the other in any dimension; an empty box may so lie inside one. */
bool box_overlap(const struct box *a, const struct box *b);

/* torch.chunk: shard `index` of `n` over a dimension of `size`; empty shards sit at offset `size`.
 */
void chunk(int64_t size, int64_t n, int64_t index, int64_t *length, int64_t *offset);

#endif
