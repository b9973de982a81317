#include "cost/collective.h"

static double traffic(double ranks)
{
	return (ranks - 1) / ranks;
}

/* Sums go round the ring, and a rank writes its own. */
static double duration(const struct links *links, struct nccl_choice choice, double bytes)
{
	(void)choice;
	return links_parts(links, bytes);
}

const struct collective collective_reduce_scatter = {
	.name = "reduce_scatter",
	.test = "reduce_scatter_perf",
	.op = NCCL_REDUCE_SCATTER,
	.traffic = traffic,
	.time = duration,
};
