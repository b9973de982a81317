#include "cost/collective.h"

static double traffic(double ranks)
{
	(void)ranks;
	return 1;
}

/* All bytes go along the ring from the root, in a pipeline. */
static double duration(const struct links *links, struct nccl_choice choice, double bytes)
{
	(void)choice;
	return links_round(links, bytes);
}

const struct collective collective_broadcast = {
	.name = "broadcast",
	.test = "broadcast_perf",
	.op = NCCL_BROADCAST,
	.traffic = traffic,
	.time = duration,
};
