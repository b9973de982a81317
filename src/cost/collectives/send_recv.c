#include "cost/collective.h"

#include <math.h>

static double traffic(double ranks)
{
	(void)ranks;
	return 1;
}

/*
 * Every rank to one other. Over the network that is one hop, which fills no pipeline, at the rate
 * of a rank's share of the adapters or of the few channels that a send has.
 */
static double duration(const struct links *links, struct nccl_choice choice, double bytes)
{
	const double start = links->start + links->exchange;
	const double share = links->outside / links->local;

	(void)choice;
	if (links->nodes > 1)
		return start + links->net_hop +
		       bytes / fmin(links->inside, fmin(links->send, share));
	return start + links->hop + links_flow(links, bytes / links->inside);
}

const struct collective collective_send_recv = {
	.name = "send_recv",
	.test = "sendrecv_perf",
	.op = NCCL_POINT_TO_POINT,
	.traffic = traffic,
	.time = duration,
};
