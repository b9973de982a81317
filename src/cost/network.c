#include "cost/network.h"

#include <math.h>

/* Devices behind one NVLink switch, as far as the job knows. */
static int64_t link_domain(const struct profile *profile, int64_t gpus_per_node)
{
	int64_t domain = (int64_t)profile_get(profile, FIGURE_LINK_DOMAIN);

	return domain > gpus_per_node ? domain : gpus_per_node;
}

static double link_bandwidth(const struct profile *profile)
{
	double links = profile_get(profile, FIGURE_LINK_BANDWIDTH);

	return 1e9 * profile_get(profile, FIGURE_LINK_SHARE) *
	       (links > 0 ? links : profile_get(profile, FIGURE_PCIE_BANDWIDTH));
}

/* A device's share of its node's adapters. */
static double adapter_share(const struct profile *profile, int64_t gpus_per_node)
{
	return 1e9 * profile_get(profile, FIGURE_NIC_COUNT) *
	       profile_get(profile, FIGURE_NIC_BANDWIDTH) * profile_get(profile, FIGURE_NET_SHARE) /
	       (double)gpus_per_node;
}

struct lane network_lane(const struct profile *profile, int64_t gpus_per_node,
			 struct communicator group)
{
	const int64_t domain = link_domain(profile, gpus_per_node);
	const double inside = link_bandwidth(profile);
	int64_t together = group.stride < domain ? domain / group.stride : 1;
	struct lane lane = { inside, 1e-6 * profile_get(profile, FIGURE_LINK_LATENCY) };
	double outside;

	if (group.ranks <= together)
		return lane;
	outside = adapter_share(profile, gpus_per_node) * (double)together;
	lane.bandwidth = fmin(inside, outside);
	lane.latency = 1e-6 * (profile_get(profile, FIGURE_NET_START) +
			       profile_get(profile, FIGURE_NET_LATENCY));
	return lane;
}

/* A collective starts once its ranks have met: log2 of their number in half steps. */
static double start(struct lane lane, int64_t ranks)
{
	return lane.latency * (1 + 0.3 * log2((double)ranks));
}

double network_all_reduce(struct lane lane, int64_t ranks, double bytes)
{
	return ranks < 2 ? 0 : 2 * network_gather(lane, ranks, bytes) - start(lane, ranks);
}

double network_gather(struct lane lane, int64_t ranks, double bytes)
{
	if (ranks < 2)
		return 0;
	return bytes * (double)(ranks - 1) / (double)ranks / lane.bandwidth + start(lane, ranks);
}

double network_send(struct lane lane, double bytes)
{
	return bytes / lane.bandwidth + lane.latency;
}
