#ifndef DRAW_AXES_H
#define DRAW_AXES_H

#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

/* A named way of cutting the world into groups. */
struct axis {
	const char *name;
	struct layout layout;
};

/* The axes of more than one rank that together make the world, outermost first. */
struct axes {
	struct axis list[MESH_AXES];
	int count;
};

/*
 * Those of the root mesh; of the dense view where the root is but the world (TorchTitan
 * v0.2.1+); of the meshes where there is no root (an intended plan).
 */
struct axes axes_of(const struct plan *plan);

/* The axis of that name: of the root, a mesh, or "shard" and "replicate". False when there is none.
 */
bool axis_find(const struct plan *plan, const char *name, struct axis *axis);

/* The names axis_find knows for a plan, joined by ", ": root axes and meshes of more than one rank.
 */
char *axis_names(struct arena *arena, const struct plan *plan);

/* The ranks that share parameters, and those that repeat them, under the name the plan has for
 * them. */
bool axis_shard(const struct plan *plan, struct axis *axis);
bool axis_replicate(const struct plan *plan, struct axis *axis);

/* "HSDP 2 × 8", "FSDP 16", "DDP 16", "no data parallelism". */
char *sharding_words(struct arena *arena, const struct sharding *sharding);

/* The same with the degrees that are no data parallelism: "FSDP 8, pp 2, tp 8". */
char *plan_words(struct arena *arena, const struct plan *plan);

#endif
