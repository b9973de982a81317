#include "cost/nccl/nccl.h"

#include <math.h>
#include <stddef.h>

/* Speeds that the search tries, from the top (src/graph/search.cc, 2.29). */
static const double inside_before_hopper[] = { 40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 0 };
static const double outside_before_hopper[] = { 48, 30, 28, 24, 20, 18,	 15,  12,  10,	9,
						7,  6,	5,  4,	3,  2.4, 1.2, .24, .12, 0 };
static const double inside_hopper[] = { 60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3, 0 };
static const double outside_hopper[] = { 48, 45, 42, 40, 30,  24,  22,	20,  17.5,
					 15, 12, 6,  3,	 2.4, 1.2, .24, .12, 0 };
static const double inside_blackwell[] = { 90, 80, 70, 60, 50, 45, 40, 30,
					   24, 20, 19, 18, 12, 6,  3,  0 };
static const double outside_blackwell[] = { 96,	  80, 48, 45, 42, 40,  30,  24,	 22,  20,
					    17.5, 15, 12, 6,  3,  2.4, 1.2, .24, .12, 0 };

static bool blackwell(const struct nccl_system *system)
{
	return system->capability >= 100 && system->version >= 25;
}

static const double *speeds_of(const struct nccl_system *system, bool outside)
{
	if (blackwell(system))
		/* 96 GB/s per adapter are tried from 2.27 on. */
		return outside ? outside_blackwell + (system->version < 27 ? 2 : 0)
			       : inside_blackwell;
	if (system->capability >= 90)
		return outside ? outside_hopper : inside_hopper;
	return outside ? outside_before_hopper : inside_before_hopper;
}

/* GB/s of one NVLink link. */
static double link_speed(const struct nccl_system *system)
{
	if (blackwell(system))
		return system->version >= 27 ? 40.1 : 40.0;
	if (system->capability >= 90)
		return system->version >= 20 ? 20.6 : 20.0;
	return system->capability >= 70 ? 20.0 : 18.0;
}

/* PCIe as NCCL counts it: the third generation's sixteen lanes are 12 GB/s. */
static double pcie_speed(const struct nccl_system *system)
{
	return system->pcie >= 60 ? 48 : system->pcie >= 30 ? 24 : 12;
}

static double device_speed(const struct nccl_system *system)
{
	return system->links ? (double)system->links * link_speed(system) : pcie_speed(system);
}

static int most_channels(const struct nccl_system *system)
{
	return system->version >= 25 ? 32 : 16;
}

/* Channels of a speed that fit: a ring passes through all devices of a node but one. */
static int channels_at(const struct nccl_system *system, double speed)
{
	const double local = (double)system->ranks / (double)system->nodes;
	double through = system->nodes > 1 ? (local - 1) / local : 1;
	double count = through > 0 ? device_speed(system) / through / speed : most_channels(system);

	if (system->nodes > 1)
		count = fmin(count, (double)system->adapters *
					    fmax(1, floor(system->adapter / speed + 1e-9)));
	return (int)fmin(floor(count + 1e-9), most_channels(system));
}

/* The fastest speed with its channels: a lower one wins only if it carries more altogether. */
static struct nccl_graph search_ring(const struct nccl_system *system)
{
	const double *speed = speeds_of(system, system->nodes > 1);
	const double most = system->nodes > 1 ? fmin(system->adapter, 1e9) : device_speed(system);
	struct nccl_graph best = { 0, 0, 0 };

	for (; *speed; speed++) {
		int channels = channels_at(system, *speed);
		if (*speed > most || !channels)
			continue;
		if (best.channels && *speed / best.inside <= .49)
			break;
		if (channels * *speed > best.channels * best.inside)
			best = (struct nccl_graph) { channels, *speed, *speed };
	}
	if (!best.channels)
		best = (struct nccl_graph) { 1, most, most };
	return best;
}

/* Fast channels are halved in speed and doubled in number. */
static void duplicate(const struct nccl_system *system, struct nccl_graph *graph)
{
	if (graph->inside < 25 ||
	    (system->capability > 80 && graph->inside < 50 && graph->channels > 4) ||
	    (system->nodes > 1 && system->capability >= 100) ||
	    2 * graph->channels > most_channels(system))
		return;
	graph->channels *= 2;
	graph->inside /= 2;
	graph->outside /= 2;
}

/* Every device, or every adapter where there are more, is the head of a channel; a head's links
 * carry it twice, the others' once. */
static struct nccl_graph search_nvls(const struct nccl_system *system)
{
	const double *speed = speeds_of(system, false);
	const int64_t local = system->ranks / system->nodes;
	const int64_t heads =
		system->nodes > 1 && system->adapters > local ? system->adapters : local;
	struct nccl_graph graph = { 0, 0, 0 }, ring;

	if (!system->nvswitch || system->capability < 90 || local < 2)
		return graph;
	graph.channels = (int)fmin((double)heads, most_channels(system));
	for (; *speed; speed++)
		if ((graph.channels + 1) * *speed <= device_speed(system))
			break;
	if (!*speed)
		return (struct nccl_graph) { 0, 0, 0 };
	graph.inside = graph.outside = *speed;
	if (system->nodes > 1) {
		ring = search_ring(system);
		graph.outside =
			fmin(2 * graph.inside, ring.channels * ring.outside / graph.channels);
	}
	return graph;
}

struct nccl_graphs nccl_search(const struct nccl_system *system)
{
	struct nccl_graphs graphs = { search_ring(system), search_nvls(system) };

	duplicate(system, &graphs.ring);
	return graphs;
}
