#include "cost/collective.h"

#include <math.h>

static double traffic(double ranks)
{
	(void)ranks;
	return 1;
}

/* Every rank to one other: a rank of a node has its share of the adapters. */
static double duration(const struct links *links, struct nccl_choice choice, double bytes)
{
	double rate = links->inside, hop = links->hop;

	(void)choice;
	if (links->nodes > 1) {
		rate = fmin(rate, links->outside / links->local);
		hop = links->net_hop;
	}
	return links->start + links->exchange + hop + links_flow(links, bytes / rate);
}

const struct collective collective_send_recv = {
	.name = "send_recv",
	.test = "sendrecv_perf",
	.op = NCCL_POINT_TO_POINT,
	.traffic = traffic,
	.time = duration,
};
