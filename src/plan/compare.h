#ifndef PLAN_COMPARE_H
#define PLAN_COMPARE_H

#include "base/vec.h"
#include "plan/plan.h"

/*
 * The one comparison engine. Plans are compared after normalisation: axes of size 1
 * vanish, DDP is HSDP with shard 1, cp without dp_shard is FSDP over cp, flattened and
 * unflattened groups with equal rank sets are equal, names do not matter. The whole list is
 * `equivalences`.
 */
enum difference_kind {
	DIFFERENCE_STRATEGY,	    /* hsdp asked, fsdp applied */
	DIFFERENCE_SHARD_GROUP,	    /* other ranks share a parameter */
	DIFFERENCE_REPLICATE_GROUP, /* other ranks hold the same part */
	DIFFERENCE_AXIS_SIZE,
	DIFFERENCE_AXIS_ORDER,
	DIFFERENCE_MEMBERSHIP, /* a group of other ranks under one axis */
	DIFFERENCE_PLACEMENT,
	DIFFERENCE_UNIT,
	DIFFERENCE_STAGE,
	DIFFERENCE_MESH,      /* a named mesh that is new, gone, or of other ranks */
	DIFFERENCE_MESH_NAME, /* the same ranks under another name */
	DIFFERENCE_EXCEPTION  /* what the framework raises */
};

struct difference {
	enum difference_kind kind;
	const char
		*subject; /* axis, parameter, unit: what differs; "experts" beside "parameters" */
	const char *left, *right; /* in words: "{0-7} {8-15}", "S(0)", "8" */
	int64_t count; /* parameters or units alike that this one stands for, "layers.*"; else 1 */
	const char *left_local, *right_local; /* PLACEMENT: the first rank's part, "[512, 4096]" */
};

struct differences {
	VEC(struct difference) list;
};

/* Stands for what one side has not got. */
extern const char difference_absent[];

/*
 * What differs between two plans, most grave first; all texts are in `arena`. Of plans that cannot
 * be held against each other (plan_comparable) only exceptions and degrees are compared. In worlds
 * of different sizes groups are equal when they are ranks at equal distances.
 */
struct differences plan_compare(struct arena *arena, const struct plan *left,
				const struct plan *right);

/* False when one of them stops with an exception, is not modelled, or alone lacks a world. */
bool plan_comparable(const struct plan *left, const struct plan *right);

/*
 * Which named meshes are new, gone, of other ranks, or only renamed: MESH and MESH_NAME. This
 * matters to code that asks for them by name, not to what is trained, so plan_compare leaves it
 * out. Meshes of one rank do not count.
 */
struct differences plan_compare_meshes(struct arena *arena, const struct plan *left,
				       const struct plan *right);

/* True when the list holds one of that kind. */
bool differences_have(const struct differences *differences, enum difference_kind kind);

/* "strategy", "shard group", ... as reports print it. */
const char *difference_kind_name(enum difference_kind kind);

/* The communicators that mean something whatever a framework calls its meshes. */
enum role { ROLE_PP, ROLE_REPLICATE, ROLE_SHARD, ROLE_CP, ROLE_TP, ROLE_EP, ROLES };

/* "pp", "dp_replicate", "dp_shard", "cp", "tp", "ep". */
const char *role_name(enum role role);

/*
 * A plan reduced to what counts: who shares, who repeats, who talks to whom. A layout without
 * modes is nobody.
 */
struct normal {
	const struct plan *plan;
	enum strategy strategy;
	struct layout axis[ROLES];
	struct layout shard, replicate;
	struct layout expert_shard,
		expert_replicate; /* the dense ones where experts have no mesh */
};

/* To add an equivalence: a row here, and its test in tests/unit/plan/compare.c. */
struct equivalence {
	const char *name;
	const char *says;
	void (*apply)(struct normal *normal);
};

extern const struct equivalence equivalences[]; /* applied in this order; ended by a NULL name */

/* The plan after all equivalences. */
struct normal plan_normalise(const struct plan *plan);

/*
 * "{0-7} {8-15}": the groups of a layout in a world, ranges folded; when there are more than
 * `most`, the first two and "... (N groups)". "nobody" for a layout without modes.
 */
char *groups_text(struct arena *arena, const struct layout *layout, int64_t world, int64_t most);

/* "{8-15}": the members of the one group of a layout that starts at `base`. */
char *group_text(struct arena *arena, const struct layout *layout, int64_t base);

/* The name with its block number as a star: "layers.*.attention.wq.weight". */
char *layer_pattern(struct arena *arena, const char *name);

#endif
