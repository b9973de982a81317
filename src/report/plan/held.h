#ifndef REPORT_PLAN_HELD_H
#define REPORT_PLAN_HELD_H

#include "plan/plan.h"

/* One dimension of the mesh over which something kept of a parameter is cut. */
struct held_dim {
	const char *name;
	struct placement placement;
	bool flat; /* the cut of a run, which has no placement: "F" */
};

struct held_dims {
	int count;
	struct held_dim item[MESH_AXES + 1];
};

/*
 * How a parameter, its gradient or its optimizer state is cut. A run's dimension stands where the
 * parameter is repeated over ranks of that run, else behind the others; it cuts last.
 */
struct held_dims plan_held(const struct plan *plan, const struct sharded *sharded, enum held held);

/* "R", "S(0)", "SS(0,2)", "P", "F". */
char *held_dim_text(struct arena *arena, const struct held_dim *dim);

/* "gradients, optimizer state": what that run cuts; NULL when it cuts nothing. */
const char *plan_run_text(struct arena *arena, const struct run_cut *run);

#endif
