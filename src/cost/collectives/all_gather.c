#include "cost/collective.h"

static double traffic(double ranks)
{
	return (ranks - 1) / ranks;
}

/* Every part goes round the ring, and a rank copies its own. */
static double duration(const struct links *links, struct nccl_choice choice, double bytes)
{
	(void)choice;
	return links_parts(links, bytes);
}

const struct collective collective_all_gather = {
	.name = "all_gather",
	.test = "all_gather_perf",
	.op = NCCL_ALL_GATHER,
	.traffic = traffic,
	.time = duration,
};
