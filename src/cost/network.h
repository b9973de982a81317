#ifndef COST_NETWORK_H
#define COST_NETWORK_H

#include "cost/collective.h"

#include <stdint.h>

/*
 * Times of collectives over a group of ranks, in seconds: which links its ranks cross, and who
 * shares the adapters with them.
 */
struct rank_group {
	int64_t ranks;	/* of one group */
	int64_t stride; /* ranks between neighbours; block order is assumed */
};

/* What a group has to itself. */
struct lane {
	struct route route;
};

/* The group in nodes of that many devices. */
struct lane network_lane(const struct profile *profile, int64_t gpus_per_node,
			 struct rank_group group);

/* All-reduce of `bytes` on every rank. */
double network_all_reduce(struct lane lane, int64_t ranks, double bytes);

/* All-gather or reduce-scatter whose whole is `bytes`. */
double network_gather(struct lane lane, int64_t ranks, double bytes);

/* All-to-all of `bytes` on every rank. */
double network_exchange(struct lane lane, int64_t ranks, double bytes);

/* `bytes` from one rank to another. */
double network_send(struct lane lane, double bytes);

#endif
