#include "cost/nccl/tables.h"

#include <math.h>

static double local_of(const struct nccl_system *system)
{
	return (double)system->ranks / (double)system->nodes;
}

static bool over_net(const struct nccl_system *system)
{
	return system->nodes > 1;
}

static double steps_of(enum nccl_op op, double ranks)
{
	return op == NCCL_ALL_REDUCE				    ? 2 * (ranks - 1)
	       : op == NCCL_ALL_GATHER || op == NCCL_REDUCE_SCATTER ? ranks - 1
								    : ranks;
}

static double ring_bus(const struct nccl_system *system, enum nccl_op op,
		       enum nccl_protocol protocol, int channels, double bus)
{
	double part = .5;

	if (protocol == NCCL_SIMPLE)
		return bus;
	if (protocol == NCCL_LL128)
		return fmin(bus * (system->version <= 22 && local_of(system) < 2 ? .7 : .92),
			    channels * nccl_ring_ll128_most(system));
	if (system->version <= 20)
		part = over_net(system) || op == NCCL_ALL_REDUCE || op == NCCL_REDUCE ? .25
										      : 1 / 3.0;
	return fmin(nccl_ll_most(system), bus * part);
}

static double tree_bus(const struct nccl_system *system, enum nccl_protocol protocol, int channels,
		       double bus)
{
	bus = fmin(.92 * bus, channels * nccl_tree_most(system));
	if (protocol == NCCL_LL)
		bus = fmin(bus / 3.8, nccl_ll_most(system));
	if (protocol == NCCL_LL128)
		bus = fmin(bus * (over_net(system) ? 120 / 128.0 : 7 / 9.0),
			   channels * nccl_tree_ll128_most(system));
	return local_of(system) == 1 ? .85 * bus : bus;
}

/* What multicast carries inside a node, as all constants are from 2.28 on. */
static double nvls_inside(const struct nccl_system *system, enum nccl_op op,
			  const struct nccl_graph *graph)
{
	const double efficiency = system->capability >= 100 ? .74 : .85;
	const double local = local_of(system);

	return graph->inside * efficiency * (graph->channels - 1) / graph->channels *
	       (op == NCCL_ALL_REDUCE ? 2 : (local - 1) / local);
}

/* Per channel. */
static double nvls_speed(const struct nccl_system *system, enum nccl_op op, bool tree,
			 const struct nccl_graph *graph)
{
	const double two = system->nodes <= 2 ? 1 : .5;

	if (system->version <= 18)
		return tree ? fmin(graph->inside, graph->outside) : graph->inside;
	if (system->version <= 27)
		return fmin(graph->inside, tree ? graph->outside * two : graph->outside);
	if (!over_net(system))
		return nvls_inside(system, op, graph);
	return fmin(fmin(nvls_inside(system, op, graph), graph->outside * (tree ? 2 * two : 1)),
		    tree ? nccl_nvls_tree_most(system) : 1e9);
}

static double collnet_bus(const struct nccl_system *system, enum nccl_op op, bool direct,
			  const struct nccl_graph *graph)
{
	const double local = local_of(system), bus = graph->channels * graph->inside;
	double factor = local / graph->channels;

	if (!direct)
		return bus;
	if (op != NCCL_ALL_REDUCE)
		return local * fmin(graph->inside, .9 * graph->outside);
	factor -= (factor - 1) / 2;
	return bus / factor * (system->capability >= 90 ? .85 : 1);
}

static double bandwidth_of(const struct nccl_system *system, const struct nccl_graphs *graphs,
			   enum nccl_op op, enum nccl_algorithm algorithm,
			   enum nccl_protocol protocol)
{
	const struct nccl_graph *graph = &graphs->ring;
	const double ranks = (double)system->ranks, wide = ranks / steps_of(op, ranks);
	const double bus = graph->channels * (system->nodes <= 2 ? graph->inside : graph->outside);

	switch (algorithm) {
	case NCCL_RING:
		return wide * ring_bus(system, op, protocol, graph->channels, bus);
	case NCCL_TREE:
		return .5 * tree_bus(system, protocol, graph->channels, bus);
	case NCCL_PAT:
		return bus * (system->version == 23 ? .85 : .75);
	case NCCL_NVLS:
	case NCCL_NVLS_TREE:
		return graphs->nvls.channels *
		       nvls_speed(system, op, algorithm == NCCL_NVLS_TREE, &graphs->nvls) *
		       (system->version <= 27 ? 5 / 6.0 : wide);
	default:
		return collnet_bus(system, op, algorithm == NCCL_COLLNET_DIRECT, graph) *
		       (op == NCCL_ALL_REDUCE ? .5 : 1);
	}
}

static double ring_latency(const struct nccl_system *system, enum nccl_op op,
			   enum nccl_protocol protocol, double inside, double outside)
{
	const double nodes = (double)system->nodes, steps = steps_of(op, (double)system->ranks);
	double crossings = 0;

	if (op == NCCL_BROADCAST || op == NCCL_REDUCE)
		return (double)system->ranks * (over_net(system) ? outside : inside);
	if (over_net(system)) {
		crossings =
			op == NCCL_ALL_REDUCE ? 2 * (nodes - (system->version >= 23)) : nodes - 1;
		inside = fmax(inside, protocol == NCCL_SIMPLE ? 3 : 1); /* the proxy's overhead */
	}
	return (steps - crossings) * inside + crossings * outside;
}

static double latency_of(const struct nccl_system *system, enum nccl_op op,
			 enum nccl_algorithm algorithm, enum nccl_protocol protocol)
{
	const enum nccl_hop near = system->links ? NCCL_HOP_LINK : NCCL_HOP_PCI;
	const double base = nccl_base(system, algorithm, protocol), local = local_of(system) - 1;
	const double inside = nccl_hop_latency(system, algorithm, protocol, near);
	const bool lone = system->version >= 23 && local == 0;
	const double outside =
		nccl_hop_latency(system, lone ? NCCL_TREE : algorithm, protocol, NCCL_HOP_NET) +
		system->plugin * (protocol == NCCL_SIMPLE ? 2 : 1);
	const double levels = floor(log2((double)system->nodes));

	switch (algorithm) {
	case NCCL_RING:
		return base + ring_latency(system, op, protocol, inside, outside);
	case NCCL_TREE:
		return base + 2 * (local * inside + levels * outside);
	case NCCL_NVLS:
		return base + inside + (over_net(system) ? outside : 0);
	case NCCL_NVLS_TREE:
		return base + inside + 2 * levels * outside;
	case NCCL_COLLNET_DIRECT:
		return base + 2 * (fmin(1, local) * inside + local * .4) + outside;
	case NCCL_COLLNET_CHAIN:
		return base + 2 * local * inside + outside;
	default:
		return base + levels * outside / 3.5 + 2.8 * (double)system->ranks;
	}
}

/* LL128 needs stores of 128 bytes that arrive whole: NVLink, and devices that are known for it. */
static bool ll128_enabled(const struct nccl_system *system)
{
	const int cc = system->capability;

	if (!system->links)
		return false;
	if (system->version >= 27)
		return cc >= 70;
	return cc == 70 || cc == 80 || cc == 90 ||
	       (system->version >= 25 && (cc == 100 || cc == 120));
}

static bool gathers(enum nccl_op op)
{
	return op == NCCL_ALL_GATHER || op == NCCL_REDUCE_SCATTER;
}

/* Network that reduces: directly from all devices of a node, or along a chain of them. */
static bool collnet_possible(const struct nccl_system *system, enum nccl_op op, bool direct)
{
	if (!system->sharp || !over_net(system))
		return false;
	return direct ? system->nvswitch && local_of(system) <= 8 : !gathers(op);
}

static bool nvls_possible(const struct nccl_system *system, const struct nccl_graphs *graphs,
			  enum nccl_op op)
{
	if (!graphs->nvls.channels || (gathers(op) && system->version < 19))
		return false;
	return !over_net(system) || (system->sharp && (!gathers(op) || system->version >= 27));
}

static bool algorithm_possible(const struct nccl_system *system, const struct nccl_graphs *graphs,
			       enum nccl_op op, enum nccl_algorithm algorithm)
{
	if (algorithm == NCCL_RING)
		return true;
	if (op != NCCL_ALL_REDUCE && !gathers(op))
		return false;
	switch (algorithm) {
	case NCCL_TREE:
		return op == NCCL_ALL_REDUCE;
	case NCCL_PAT:
		return gathers(op) && system->version >= 23 && over_net(system) &&
		       system->ranks == system->nodes;
	case NCCL_NVLS:
		return nvls_possible(system, graphs, op);
	case NCCL_NVLS_TREE:
		return graphs->nvls.channels && system->version >= 18 && over_net(system) &&
		       op == NCCL_ALL_REDUCE;
	default:
		return collnet_possible(system, op, algorithm == NCCL_COLLNET_DIRECT);
	}
}

static bool enabled(const struct nccl_system *system, const struct nccl_graphs *graphs,
		    enum nccl_op op, enum nccl_algorithm algorithm, enum nccl_protocol protocol)
{
	if (!algorithm_possible(system, graphs, op, algorithm))
		return false;
	if (algorithm > NCCL_RING && protocol != NCCL_SIMPLE)
		return false;
	if (system->protocols)
		return system->protocols >> protocol & 1;
	return protocol != NCCL_LL128 || ll128_enabled(system);
}

struct nccl_way nccl_way_of(const struct nccl_system *system, const struct nccl_graphs *graphs,
			    enum nccl_op op, enum nccl_algorithm algorithm,
			    enum nccl_protocol protocol)
{
	if (!enabled(system, graphs, op, algorithm, protocol))
		return (struct nccl_way) { 0, 0 };
	return (struct nccl_way) { latency_of(system, op, algorithm, protocol),
				   bandwidth_of(system, graphs, op, algorithm, protocol) };
}

/* Long rings over the network wait for their last slice. */
static double plateau(const struct nccl_system *system, const struct nccl_graphs *graphs,
		      enum nccl_op op, enum nccl_algorithm algorithm, enum nccl_protocol protocol,
		      double bytes)
{
	if (op != NCCL_ALL_REDUCE || algorithm != NCCL_RING || protocol != NCCL_SIMPLE ||
	    !over_net(system) || bytes / (2.0 * graphs->ring.channels * (double)system->ranks) < 64)
		return 1;
	return system->capability >= 80 ? 1.4 : 1.9;
}

static struct nccl_way known_way(const struct nccl_system *system, const struct nccl_graphs *graphs,
				 enum nccl_op op, enum nccl_algorithm algorithm,
				 enum nccl_protocol protocol)
{
	if (system->printed && system->printed->known[op] &&
	    (!system->protocols || system->protocols >> protocol & 1))
		return system->printed->ways[op][algorithm][protocol];
	return nccl_way_of(system, graphs, op, algorithm, protocol);
}

struct nccl_choice nccl_choose(const struct nccl_system *system, const struct nccl_graphs *graphs,
			       enum nccl_op op, double bytes)
{
	struct nccl_choice best = { NCCL_RING, NCCL_SIMPLE, HUGE_VAL };
	int algorithm, protocol;

	if (op == NCCL_POINT_TO_POINT || system->ranks < 2) {
		best.protocol = bytes <= 16384 * (double)system->ranks ? NCCL_LL : NCCL_SIMPLE;
		best.time = 0;
		return best;
	}
	for (algorithm = 0; algorithm < NCCL_ALGORITHMS; algorithm++)
		for (protocol = 0; protocol < NCCL_PROTOCOLS; protocol++) {
			struct nccl_way way = known_way(system, graphs, op, algorithm, protocol);
			double time;
			if (way.bandwidth <= 0 ||
			    (system->algorithms && !(system->algorithms >> algorithm & 1)))
				continue;
			way.bandwidth *= nccl_tree_factor(system, algorithm, protocol, bytes);
			time = way.latency *
				       plateau(system, graphs, op, algorithm, protocol, bytes) +
			       bytes / (1e3 * way.bandwidth);
			if (time < best.time)
				best = (struct nccl_choice) { algorithm, protocol, time };
		}
	return best;
}
