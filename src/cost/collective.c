#include "cost/collective.h"

#include "cost/calibration.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define X(name) extern const struct collective collective_##name;
#include "collectives.inc"
#undef X

const struct collective *const collectives[] = {
#define X(name) &collective_##name,
#include "collectives.inc"
#undef X
	NULL,
};

/* Letters alone, lower case, without "_perf". */
static void plain(const char *name, char *to, size_t size)
{
	size_t length = 0;

	for (; *name && length + 1 < size && strcmp(name, "_perf") != 0; name++)
		if (isalpha((unsigned char)*name))
			to[length++] = (char)tolower((unsigned char)*name);
	to[length] = '\0';
}

const struct collective *collective_find(const char *name)
{
	const struct collective *const *op;
	char asked[32], known[32];

	plain(name, asked, sizeof(asked));
	for (op = collectives; *op; op++) {
		plain((*op)->name, known, sizeof(known));
		if (!strcmp(asked, known))
			return *op;
	}
	return NULL;
}

void communicator_place_init(struct communicator_place *place, const struct profile *profile,
			     int64_t ranks, int64_t nodes)
{
	memset(place, 0, sizeof(*place));
	place->profile = profile;
	place->ranks = ranks;
	place->nodes = nodes;
	place->adapters = profile_get(profile, FIGURE_NIC_COUNT);
	place->pcie = profile_get(profile, FIGURE_LINK_BANDWIDTH) <= 0;
	place->nccl = NCCL_NEWEST;
}

/* Nodes that one NVLink switch joins count as one. */
static void join_racks(struct communicator_place *place)
{
	const double domain = profile_get(place->profile, FIGURE_LINK_DOMAIN);
	const double local = (double)place->ranks / (double)place->nodes;
	const double together = fmin((double)place->nodes, floor(domain / local));
	const double racks =
		together > 1 ? ceil((double)place->nodes / together) : (double)place->nodes;

	if (place->pcie || place->racks || racks >= (double)place->nodes ||
	    place->ranks % (int64_t)racks)
		return;
	place->adapters *= (double)place->nodes / racks;
	place->nodes = (int64_t)racks;
}

/* Profiles may hold any number: a whole one from 0 to `most`. */
static int64_t whole(double number, double most)
{
	return number > 0 ? (int64_t)fmin(number, most) : 0;
}

static struct nccl_system system_of(const struct communicator_place *place)
{
	const struct profile *profile = place->profile;
	struct nccl_system system = {
		.version = place->nccl,
		.capability = (int)whole(profile_get(profile, FIGURE_CAPABILITY), 1000),
		.ranks = place->ranks,
		.nodes = place->nodes,
		.links = place->pcie ? 0 : whole(profile_get(profile, FIGURE_LINKS), 1000),
		.pcie = profile_get(profile, FIGURE_PCIE_BANDWIDTH),
		.adapters = whole(fmax(1, place->adapters), 1000),
		.adapter = profile_get(profile, FIGURE_NIC_BANDWIDTH) * fmin(1, place->adapters),
		.plugin = profile_get(profile, FIGURE_NET_LATENCY),
		.nvswitch = !place->pcie,
		.sharp = place->sharp,
		.algorithms = place->algorithms,
		.protocols = place->protocols,
	};

	/* RCCL has the older constants: AMD's devices count as Hopper without a switch. */
	if (!system.capability) {
		system.capability = 90;
		system.nvswitch = false;
	}
	return system;
}

/* Bus bandwidth of an all-reduce by the switch, by the constants that 2.28 brought; GB/s. */
static double multicast_of(struct nccl_system system)
{
	struct nccl_graphs graphs;
	struct nccl_way way;

	system.version = 28;
	system.nodes = 1;
	system.ranks = system.ranks > 0 ? system.ranks : 1;
	system.protocols = 0;
	graphs = nccl_search(&system);
	way = nccl_way_of(&system, &graphs, NCCL_ALL_REDUCE, NCCL_NVLS, NCCL_SIMPLE);
	return way.bandwidth * 2 * (double)(system.ranks - 1) / (double)system.ranks;
}

/*
 * Links that rings through some devices of a V100 node use of each device's six: eight V100 are a
 * mesh of links, in which few rings close over fewer (bus bandwidths in trace/v100 of
 * VIA-Research/vTrain@f8dda847, over that of one link). Later nodes have switches.
 */
static double mesh_share(const struct nccl_system *system, int64_t local)
{
	static const double used[] = { 6, 6, 1, 2, 4, 2, 2, 4 };

	return system->capability == 70 && local < 8 ? used[local] / 6 : 1;
}

/*
 * Channels of one send over the network: two for each adapter of the sender, from 2.29 on as many
 * as its rate asks for at 14 GB/s each (NCCL's src/init.cc and graph/paths.cc,
 * NCCL_P2P_PER_CHANNEL_NET_BW), at least two.
 */
static double send_channels(const struct nccl_system *system, double adapters)
{
	enum { BY_RATE = 29, RATE = 14 };
	const double own = fmax(1, floor(adapters));

	if (system->version < BY_RATE)
		return 2 * own;
	return fmax(2, own * ceil(system->adapter / RATE));
}

static struct links links_of(const struct communicator_place *place,
			     const struct nccl_system *system)
{
	const struct profile *profile = place->profile;
	const double local = (double)place->ranks / (double)place->nodes;
	const double nvlink = 1e3 * profile_get(profile, FIGURE_LINK_BANDWIDTH);
	struct nccl_system node = *system;
	struct links links = {
		.ranks = (double)place->ranks,
		.nodes = (double)place->nodes,
		.local = local,
		.start = profile_get(profile, FIGURE_LINK_START),
		.hop = profile_get(profile, FIGURE_LINK_HOP),
		.ramp = profile_get(profile, FIGURE_LINK_RAMP),
		.inside = nvlink * profile_get(profile, FIGURE_LINK_SHARE) *
			  mesh_share(system, place->ranks / place->nodes),
		.copy = nvlink * profile_get(profile, FIGURE_LINK_COPY),
		.exchange = profile_get(profile, FIGURE_LINK_EXCHANGE),
		.outside = 1e3 * place->adapters * profile_get(profile, FIGURE_NIC_BANDWIDTH) *
			   profile_get(profile, FIGURE_NET_EFFICIENCY),
		.net_hop = profile_get(profile, FIGURE_NET_HOP) +
			   profile_get(profile, FIGURE_NET_LATENCY),
		.net_ramp = profile_get(profile, FIGURE_NET_RAMP),
		.net_saturation = profile_get(profile, FIGURE_NET_SATURATION),
	};

	links.send = 1e3 * profile_get(profile, FIGURE_NET_CHANNEL) *
		     send_channels(system, place->adapters / local);
	node.ranks = place->ranks / place->nodes;
	links.multicast = 1e3 * multicast_of(node);
	if (place->pcie) {
		links.inside = 1e3 * profile_get(profile, FIGURE_PCIE_BANDWIDTH) *
			       profile_get(profile, FIGURE_PCIE_SHARE);
		links.copy = 1e12 * profile_get(profile, FIGURE_HBM) / 2e6;
	}
	return links;
}

struct route route_of(const struct communicator_place *place)
{
	struct route route = { .place = *place };

	const struct nccl_printed *printed =
		place->calibration ? calibration_printed(place->calibration, place) : NULL;

	join_racks(&route.place);
	route.system = system_of(&route.place);
	route.system.printed = printed;
	route.graphs = nccl_search(&route.system);
	if (printed && printed->graphs.ring.channels)
		route.graphs.ring = printed->graphs.ring;
	if (printed && printed->graphs.nvls.channels)
		route.graphs.nvls = printed->graphs.nvls;
	route.links = links_of(&route.place, &route.system);
	return route;
}

double collective_model(const struct route *route, const struct collective *op, double bytes)
{
	if (route->place.ranks < 2)
		return 0;
	return op->time(&route->links, nccl_choose(&route->system, &route->graphs, op->op, bytes),
			bytes);
}

/* Factors below and above, from how the model does on tables with such links; one in five misses.
 */
struct spread {
	double low, high;
};

static struct spread spread_of(const struct route *route, const struct collective *op, double bytes)
{
	static const struct spread node[] = { { .87, 1.15 }, { .88, 1.20 } };
	static const struct spread network[] = { { .80, 1.35 }, { .85, 1.22 } };
	const char *fabric = route->place.profile->fabric;
	const int large = bytes >= 1 << 20;

	if (route->place.pcie)
		return (struct spread) { .5, 3 };
	if (route->place.nodes <= 1 && route->system.capability < 80)
		return (struct spread) { .7,
					 3 }; /* a mesh of links, in which rings may not close */
	if (route->links.local > 16)
		return (struct spread) { .7, 2 }; /* racks of one switch: two tables */
	if (route->place.nodes <= 1)
		return node[large];
	if (fabric && strcmp(fabric, "ib") != 0 && strcmp(fabric, "roce") != 0)
		return (struct spread) { .6, 1.8 };
	return op->validated ? network[large] : (struct spread) { .7, 1.3 };
}

struct collective_time collective_time(const struct route *route, const struct collective *op,
				       double bytes)
{
	const struct nccl_choice choice =
		nccl_choose(&route->system, &route->graphs, op->op, bytes);
	struct spread spread = spread_of(route, op, bytes);
	struct collective_time time = { .algorithm = choice.algorithm,
					.protocol = choice.protocol };
	struct correction correction = { 1, 0, false };

	if (route->place.ranks < 2)
		return time;
	if (route->place.calibration)
		correction = calibration_at(route->place.calibration, route, op, bytes);
	if (correction.own)
		spread = (struct spread) { 1 / correction.spread, correction.spread };
	time.calibrated = correction.own;
	time.time = op->time(&route->links, choice, bytes) * correction.factor;
	time.low = time.time * spread.low;
	time.high = time.time * spread.high;
	return time;
}

const char *collective_way(const struct collective *op, const struct collective_time *time)
{
	return op->op == NCCL_POINT_TO_POINT ? "p2p" : nccl_algorithm_name(time->algorithm);
}
