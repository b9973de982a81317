#include "cost/network.h"

#include "cost/units.h"

#include <math.h>

/* Devices behind one NVLink switch, as far as the job knows. */
static int64_t link_domain(const struct profile *profile, int64_t gpus_per_node)
{
	int64_t domain = profile ? (int64_t)profile_get(profile, FIGURE_LINK_DOMAIN) : 1;

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

/* Members of the first group within so many consecutive ranks. */
static int64_t members_within(const struct layout *group, int64_t ranks)
{
	const struct layout modes = layout_canonical(group);
	int64_t members = 1, extent = 0, fitting;
	int i;

	for (i = modes.modes - 1; i >= 0 && extent < ranks; i--) {
		fitting = (ranks - extent - 1) / modes.stride[i] + 1;
		if (fitting > modes.size[i])
			fitting = modes.size[i];
		members *= fitting;
		extent += (fitting - 1) * modes.stride[i];
	}
	return members;
}

/* Members of a group behind one switch: as many on each. */
static int64_t together_of(const struct profile *profile, int64_t gpus_per_node,
			   const struct layout *group)
{
	const int64_t ranks = layout_size(group);
	int64_t together = members_within(group, link_domain(profile, gpus_per_node));

	while (together > 1 && ranks % together)
		together--;
	return together;
}

int64_t network_nodes(const struct profile *profile, int64_t gpus_per_node,
		      const struct layout *group)
{
	return layout_size(group) / together_of(profile, gpus_per_node, group);
}

struct lane network_lane(const struct profile *profile, int64_t gpus_per_node,
			 const struct layout *group)
{
	const int64_t ranks = layout_size(group);
	const int64_t together = together_of(profile, gpus_per_node, group);
	struct communicator_place place;

	communicator_place_init(&place, profile, ranks, ranks / together);
	place.racks = true;
	/* The other groups of a node use its adapters at the same time. */
	place.adapters = share(place.adapters, profile_get(profile, FIGURE_NIC_LOST),
			       (double)gpus_per_node / (double)together);
	return (struct lane) { route_of(&place) };
}

double network_seconds(const struct lane *lane, const struct collective *op, double bytes)
{
	return MICRO * collective_model(&lane->route, op, bytes);
}
