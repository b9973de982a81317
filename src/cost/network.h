#ifndef COST_NETWORK_H
#define COST_NETWORK_H

#include "cost/collective.h"
#include "plan/layout.h"

#include <stdint.h>

/*
 * Times of collectives over a group of ranks, in seconds: which links its ranks cross, and who
 * shares the adapters with them.
 */

/* What a group has to itself. */
struct lane {
	struct route route;
};

/* The groups of a layout in nodes of that many devices; block order is assumed. */
struct lane network_lane(const struct profile *profile, int64_t gpus_per_node,
			 const struct layout *group);

/*
 * Nodes that a group is on, as far as it matters: racks of one switch count as one. `profile` (may
 * be NULL) says how far a switch reaches.
 */
int64_t network_nodes(const struct profile *profile, int64_t gpus_per_node,
		      const struct layout *group);

/* One collective over it, `bytes` as nccl-tests counts them. */
double network_seconds(const struct lane *lane, const struct collective *op, double bytes);

#endif
