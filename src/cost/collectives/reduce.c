#include "cost/collective.h"

static double traffic(double ranks)
{
	(void)ranks;
	return 1;
}

/* All bytes go along the ring to the root, in a pipeline. */
static double duration(const struct links *links, struct nccl_choice choice, double bytes)
{
	(void)choice;
	return links_round(links, bytes);
}

const struct collective collective_reduce = {
	.name = "reduce",
	.test = "reduce_perf",
	.op = NCCL_REDUCE,
	.traffic = traffic,
	.time = duration,
};
