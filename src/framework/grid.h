#ifndef FRAMEWORK_GRID_H
#define FRAMEWORK_GRID_H

#include "plan/plan.h"

/*
 * A rank grid as most frameworks build it: named axes, outermost first, over consecutive ranks. A
 * communicator is made of the ranks that differ in some of the axes and agree in all others.
 */
struct grid {
	int count;
	const char *name[MESH_AXES];
	int64_t size[MESH_AXES];
};

/* Adds an axis inside all those before. Sizes are 1 or more. */
void grid_axis(struct grid *grid, const char *name, int64_t size);

/* Ranks that the grid spans: the product of the sizes. */
int64_t grid_size(const struct grid *grid);

/*
 * The ranks that differ in the axes named, "dp|cp", outermost first as in the grid; axes of one
 * rank add nothing. No modes when all are such.
 */
struct layout grid_over(const struct grid *grid, const char *axes);

/* Names the grid's axes of more than one rank as the plan's root mesh. */
void grid_root(struct plan *plan, const struct grid *grid);

/*
 * Puts a communicator over the axes named into the plan, made for NCCL. It exists when it has more
 * than one rank, or `always`: a framework that makes groups of one rank, too.
 */
void grid_group(struct plan *plan, const struct grid *grid, const char *name, const char *axes,
		bool always);

/*
 * The innermost `count` members of a layout's groups, and the steps between such parts; false when
 * they are no layout, because a mode would be cut where it does not divide.
 */
bool grid_split(const struct layout *layout, int64_t count, struct layout *inner,
		struct layout *outer);

/*
 * Whether the axes make the world. Where they do not, and the framework's own check let them pass,
 * the plan claims no groups.
 */
bool grid_fits(struct plan *plan, const struct grid *grid);

/*
 * Makes the grid the plan: its axes the root mesh and a communicator each, and who shares and who
 * repeats parameters, as axes "dp_shard|cp"; "" where nobody does. Both may name axes that the grid
 * has not.
 */
void grid_lay(struct plan *plan, const struct grid *grid, const char *shard, const char *replicate);

#endif
