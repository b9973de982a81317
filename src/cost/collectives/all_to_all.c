#include "cost/collective.h"

#include <math.h>

static double traffic(double ranks)
{
	return (ranks - 1) / ranks;
}

/* Every rank sends a part to every other: over the links and the adapters at the same time. */
static double duration(const struct links *links, struct nccl_choice choice, double bytes)
{
	const double part = bytes / links->ranks;
	const double away = links->ranks - links->local;
	double flow = part * (links->ranks - 1) / links->inside,
	       start = links->start + links->exchange;

	(void)choice;
	if (links->nodes > 1) {
		flow = fmax(flow, part * away * links->local / links->outside);
		start += links->net_hop * (1 + log2(links->nodes));
	}
	return start + links_flow(links, flow) + (links->nodes > 1 ? 0 : part / links->copy);
}

const struct collective collective_all_to_all = {
	.name = "all_to_all",
	.test = "alltoall_perf",
	.op = NCCL_POINT_TO_POINT,
	.traffic = traffic,
	.time = duration,
};
