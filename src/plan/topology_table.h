#ifndef PLAN_TOPOLOGY_TABLE_H
#define PLAN_TOPOLOGY_TABLE_H

#include "base/vec.h"

#include <stdint.h>

/* Hosts of different sizes, as topology.c looks ranks up in them. */

/* Nodes first to first + count - 1 hold ranks from `rank` on, `slots` each (block order). */
struct segment {
	int64_t node, count, rank, slots;
};

/*
 * Rounds of dealing in which the same nodes still have a free slot (cyclic order): `rounds`
 * rounds from slot `slot` on, ranks from `rank` on, one for each node of the list.
 */
struct level {
	int64_t slot, rounds, rank, count;
	int64_t *nodes; /* ascending */
};

struct topology_table {
	VEC(struct segment) segments;
	VEC(struct level) levels;
};

#endif
