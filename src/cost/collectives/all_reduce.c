#include "cost/collective.h"

#include <math.h>

enum { SWITCH_RANKS = 8 }; /* of the nodes whose latency was measured */

static double traffic(double ranks)
{
	return 2 * (ranks - 1) / ranks;
}

/* Up and down the tree of nodes, and along the chain inside each. */
static double tree_start(const struct links *links)
{
	return links->start +
	       2 * ((links->local - 1) * links->hop + floor(log2(links->nodes)) * links->net_hop);
}

/* The switch adds up: a node's bytes cross the network once each way, not once per ring. */
static double by_switch(const struct links *links, double bytes)
{
	/* As many hops as a ring of eight; the ranks of larger domains meet in more levels. */
	const double depth =
		links->local > SWITCH_RANKS ? log2(links->local) / log2(SWITCH_RANKS) : 1;
	const double steps = 2 * (fmin(links->local, SWITCH_RANKS) - 1) * depth;
	const double crossing = 2 * (links->nodes - 1) / links->nodes;
	double rate = links->multicast, start = links->start + steps * links->hop;

	if (links->nodes > 1) {
		start = tree_start(links);
		rate = fmin(rate,
			    links->outside *
				    (links->nodes <= 2 ? traffic(links->ranks) / crossing : 1));
	}
	return start + links_flow(links, bytes * traffic(links->ranks) / rate);
}

static double duration(const struct links *links, struct nccl_choice choice, double bytes)
{
	const double steps = 2 * (links->ranks - 1);
	double start = links_hops(links, steps, links->nodes > 1 ? 2 * (links->nodes - 1) : 0);

	if (links->multicast > 0 &&
	    (choice.algorithm == NCCL_NVLS || choice.algorithm == NCCL_NVLS_TREE))
		return by_switch(links, bytes);
	if (links->nodes > 1 && choice.algorithm != NCCL_RING)
		start = tree_start(links);
	return start + links_flow(links, bytes * traffic(links->ranks) / links_ring(links)) +
	       (links->nodes > 1 ? 0 : bytes / links->ranks / links->copy);
}

const struct collective collective_all_reduce = {
	.name = "all_reduce",
	.test = "all_reduce_perf",
	.op = NCCL_ALL_REDUCE,
	.validated = true,
	.traffic = traffic,
	.time = duration,
};
