#ifndef PLAN_COMPARE_H
#define PLAN_COMPARE_H

#include "base/vec.h"
#include "plan/plan.h"

/*
 * The one comparison engine. Plans are compared after normalisation: axes of size 1
 * vanish, DDP is HSDP with shard 1, cp without dp_shard is FSDP over cp, flattened and
 * unflattened groups with equal rank sets are equal, names do not matter.
 */
enum difference_kind {
	DIFFERENCE_STRATEGY,        /* hsdp asked, fsdp applied */
	DIFFERENCE_SHARD_GROUP,     /* other ranks share a parameter */
	DIFFERENCE_REPLICATE_GROUP, /* other ranks hold the same part */
	DIFFERENCE_AXIS_SIZE,
	DIFFERENCE_AXIS_ORDER,
	DIFFERENCE_MEMBERSHIP, /* a group of other ranks under one axis */
	DIFFERENCE_PLACEMENT,
	DIFFERENCE_UNIT,
	DIFFERENCE_STAGE
};

struct difference {
	enum difference_kind kind;
	const char *subject; /* axis, parameter, unit: what differs */
	const char *left, *right; /* in words: "{0-7} {8-15}", "S(0)", "8" */
};

struct differences {
	VEC(struct difference) list;
};

/* What differs between two plans of one world, most grave first. */
struct differences plan_compare(struct arena *arena, const struct plan *left,
				const struct plan *right);

/* True when the list holds one of that kind. */
bool differences_have(const struct differences *differences, enum difference_kind kind);

/* "{0-7} {8-15}": groups of a layout in a world, at most `most` of them, ranges folded, then "... (N groups)". */
char *groups_text(struct arena *arena, const struct layout *layout, int64_t world, int64_t most);

#endif
