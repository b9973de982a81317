#include "cost/links.h"

#include <math.h>

double links_flow(const struct links *links, double time)
{
	if (links->nodes <= 1)
		return time + links->ramp * sqrt(time);
	return time + links->net_ramp *
			      sqrt(time * links->net_saturation / (time + links->net_saturation));
}

double links_hops(const struct links *links, double steps, double crossings)
{
	return links->start + (steps - crossings) * links->hop + crossings * links->net_hop;
}

double links_ring(const struct links *links)
{
	return links->nodes > 1 ? fmin(links->inside, links->outside) : links->inside;
}

double links_round(const struct links *links, double bytes)
{
	return links_hops(links, links->ranks - 1, links->nodes - 1) +
	       links_flow(links, bytes / links_ring(links));
}

double links_parts(const struct links *links, double bytes)
{
	return links_round(links, bytes * (links->ranks - 1) / links->ranks) +
	       (links->nodes > 1 ? 0 : bytes / links->ranks / links->copy);
}
