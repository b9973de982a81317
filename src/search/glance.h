#ifndef SEARCH_GLANCE_H
#define SEARCH_GLANCE_H

#include "sim/data_parallel.h"
#include "sim/overhead.h"

/*
 * What a step of a plan takes at least: its passes are added up in the order of its schedule, and
 * nothing is simulated. No less than what the simulator says, and much nearer to that than what is
 * known without a plan.
 */
struct glance {
	double time;   /* seconds */
	double memory; /* bytes of a device */
	double need;   /* of them, what must fit */
};

/* What is the same for all workloads of one plan that differ in microbatch and recomputation. */
struct glance_plan {
	struct arena *arena;
	struct data_parallel data;
	struct data_times **times; /* of each stage's units; NULL: not asked for yet */
	struct overhead overhead;
};

/* Profile and workload, one of those, live as long as the arena. */
struct glance_plan glance_begin(struct arena *arena, const struct profile *profile,
				const struct workload *work);

/* `stages`: the workload's stages_cost. */
struct glance glance_of(struct arena *arena, struct glance_plan *plan,
			const struct profile *profile, const struct workload *work,
			const struct stages *stages);

#endif
