#ifndef SEARCH_GLANCE_H
#define SEARCH_GLANCE_H

#include "sim/workload.h"

/*
 * What a step of a plan takes at least: its passes are added up in the order of its schedule, and
 * nothing is simulated. No less than what the simulator says, and much nearer to that than what is
 * known without a plan.
 */
struct glance {
	double time;   /* seconds */
	double memory; /* bytes of a device */
};

struct glance glance_of(struct arena *arena, const struct profile *profile,
			const struct workload *work);

#endif
