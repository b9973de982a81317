#include "cost/network.h"

#include <math.h>

/* Devices behind one NVLink switch, as far as the job knows. */
static int64_t link_domain(const struct profile *profile, int64_t gpus_per_node)
{
	int64_t domain = (int64_t)profile_get(profile, FIGURE_LINK_DOMAIN);

	return domain > gpus_per_node ? domain : gpus_per_node;
}

/*
 * Adapters that the worst-off group of a node has when some are lost. A group with others of its
 * own goes on with those; else the groups of lost ones move to the others, as evenly as they can,
 * and share them with the groups that are there. The last adapter is never lost.
 */
static double share(double adapters, double lost, double groups)
{
	double own = adapters / groups, together = fmax(1, groups / adapters);

	lost = fmin(lost, adapters - 1);
	if (lost <= 0)
		return own;
	if (own - lost >= 1)
		return own - lost;
	return 1 / (together + ceil(together * lost / (adapters - lost)));
}

struct lane network_lane(const struct profile *profile, int64_t gpus_per_node,
			 struct rank_group group)
{
	const int64_t domain = link_domain(profile, gpus_per_node);
	const int64_t fitting = group.stride < domain ? domain / group.stride : 1;
	int64_t together = fitting < group.ranks ? fitting : group.ranks;
	struct communicator_place place;

	while (together > 1 && group.ranks % together)
		together--;
	communicator_place_init(&place, profile, group.ranks, group.ranks / together);
	/* The other groups of a node use its adapters at the same time. */
	place.adapters = share(place.adapters, profile_get(profile, FIGURE_NIC_LOST),
			       (double)gpus_per_node / (double)together);
	return (struct lane) { route_of(&place) };
}

static double seconds(struct lane lane, const char *op, double bytes)
{
	return 1e-6 * collective_model(&lane.route, collective_find(op), bytes);
}

double network_all_reduce(struct lane lane, int64_t ranks, double bytes)
{
	return ranks < 2 ? 0 : seconds(lane, "all_reduce", bytes);
}

double network_gather(struct lane lane, int64_t ranks, double bytes)
{
	return ranks < 2 ? 0 : seconds(lane, "all_gather", bytes);
}

double network_exchange(struct lane lane, int64_t ranks, double bytes)
{
	return ranks < 2 ? 0 : seconds(lane, "all_to_all", bytes);
}

double network_send(struct lane lane, double bytes)
{
	return seconds(lane, "send_recv", bytes);
}
