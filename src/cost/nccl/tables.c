#include "cost/nccl/tables.h"

#include <math.h>

double nccl_base(const struct nccl_system *system, enum nccl_algorithm algorithm,
		 enum nccl_protocol protocol)
{
	static const double ring[] = { 6.6, 14.0, 8.4 }, tree[] = { 6.8, 14.0, 0 };
	static const double oldest_ring[] = { 3.6, 10.0, 8.4 }, oldest_tree[] = { 4.4, 4.4, 0 };

	switch (algorithm) {
	case NCCL_TREE:
		if (protocol == NCCL_SIMPLE && system->version >= 23)
			return 8.4;
		return system->version <= 17 ? oldest_tree[protocol] : tree[protocol];
	case NCCL_RING:
		return system->version <= 17 ? oldest_ring[protocol] : ring[protocol];
	case NCCL_COLLNET_DIRECT:
	case NCCL_COLLNET_CHAIN:
		return system->version <= 18 ? tree[protocol] : 0;
	case NCCL_NVLS:
	case NCCL_NVLS_TREE:
		return system->version <= 18 ? 23.0 : 0;
	default:
		return 8.0; /* PAT */
	}
}

static double tree_hop(const struct nccl_system *system, enum nccl_protocol protocol,
		       enum nccl_hop hop)
{
	static const double low[3][2] = { { .6, 1.25 }, { 1.0, 1.9 }, { 5.0, 8.5 } };
	static const double simple[3][3] = { { 4, 28, 4 }, { 6, 28, 4 }, { 14, 28, 14 } };

	if (protocol != NCCL_SIMPLE)
		return low[hop][protocol];
	return simple[hop][system->version == 18 ? 0 : system->version <= 22 ? 1 : 2];
}

static double ring_hop(const struct nccl_system *system, enum nccl_protocol protocol,
		       enum nccl_hop hop)
{
	static const double ring[3][3] = { { .6, 1.9, 3.4 },
					   { 1.0, 2.5, 5.7 },
					   { 2.7, 4.0, 14.0 } };

	if (hop == NCCL_HOP_NET && protocol == NCCL_SIMPLE && system->version <= 17)
		return 9.6;
	return ring[hop][protocol];
}

static double nvls_hop(const struct nccl_system *system, bool tree, enum nccl_hop hop)
{
	if (hop == NCCL_HOP_LINK)
		return system->version <= 18 ? 0 : system->version <= 20 ? 23 : 25;
	if (hop == NCCL_HOP_PCI)
		return 0;
	if (!tree)
		return 18;
	return system->version <= 18 ? 19 : system->version <= 27 ? 14 : 20.9;
}

double nccl_hop_latency(const struct nccl_system *system, enum nccl_algorithm algorithm,
			enum nccl_protocol protocol, enum nccl_hop hop)
{
	static const double direct[2][3] = { { 8.0, 8.0, 10.7 }, { 3.7, 3.7, 31 } };
	static const double chain[2][3] = { { 4.75, 8.0, 14 }, { 2.8, 2.8, 30 } };
	static const double pat[] = { 4, 4, 14 };

	switch (algorithm) {
	case NCCL_TREE:
		return tree_hop(system, protocol, hop);
	case NCCL_RING:
		return ring_hop(system, protocol, hop);
	case NCCL_COLLNET_DIRECT:
		return direct[system->version > 18][hop];
	case NCCL_COLLNET_CHAIN:
		return chain[system->version > 18][hop];
	case NCCL_NVLS:
	case NCCL_NVLS_TREE:
		return nvls_hop(system, algorithm == NCCL_NVLS_TREE, hop);
	default:
		return pat[hop];
	}
}

/* Column of most tables: Volta, Ampere, Hopper, Blackwell. */
static int generation(const struct nccl_system *system)
{
	if (system->capability >= 100 && system->version >= 25)
		return 3;
	return system->capability >= 90 ? 2 : system->capability >= 80 ? 1 : 0;
}

/* Row of most tables: one node, two, more. */
static int scale(const struct nccl_system *system)
{
	return system->nodes <= 2 ? (int)system->nodes - 1 : 2;
}

double nccl_ll_most(const struct nccl_system *system)
{
	static const double one[] = { 39.0, 87.7, 141.0, 282 };
	static const double intel[] = { 39.0, 39.0, 20.4 };

	if (system->nodes > 1)
		return intel[scale(system)];
	return generation(system) == 2 && system->version <= 20 ? 87.7 : one[generation(system)];
}

double nccl_ring_ll128_most(const struct nccl_system *system)
{
	static const double most[] = { 20, 20, 36.7 }, later[] = { 73.4, 34.6, 73.4 };

	if (generation(system) < 3)
		return most[generation(system)];
	return system->version <= 27 ? 73.4 : system->version == 28 ? later[scale(system)] : 40;
}

double nccl_tree_ll128_most(const struct nccl_system *system)
{
	static const double most[4][3] = {
		{ 20, 20, 20 }, { 20, 20, 20 }, { 36.7, 36.7, 29.0 }, { 73.4, 73.4, 58 }
	};
	static const double later[] = { 55.6, 31.67, 20 };

	if (generation(system) == 3 && system->version >= 28)
		return later[scale(system)];
	return most[generation(system)][scale(system)];
}

double nccl_tree_most(const struct nccl_system *system)
{
	static const double most[4][3] = {
		{ 26.5, 18.5, 10.0 }, { 24.0, 23.6, 17.8 }, { 38.7, 41.4, 36.0 }, { 77.4, 82.8, 72 }
	};
	static const double later[] = { 70, 42.8, 24 };

	if (generation(system) == 3 && system->version >= 28)
		return later[scale(system)];
	if (generation(system) == 2 && scale(system) == 2 && system->version <= 17)
		return 33.0;
	return most[generation(system)][scale(system)];
}

double nccl_nvls_tree_most(const struct nccl_system *system)
{
	static const double hopper[] = { 1e9, 57.7, 45.5 }, blackwell[] = { 1e9, 96, 43.8 };

	if (generation(system) == 3)
		return system->version >= 30 && scale(system) == 2 ? 80 : blackwell[scale(system)];
	return hopper[scale(system)];
}

/* From 64 bytes on, doubling. */
static const double tree_factors[3]
				[23] = {
					{ 1,  1,  1,  1,  .9, .8, .7, .7, .7, .7, .6, .5,
					  .4, .4, .5, .6, .7, .8, .9, 1,  1,  1,  1 },
					{ 1,  1,  1,  1,  1,  .9, .8, .8, .8, .7, .6, .6,
					  .6, .6, .6, .6, .8, .9, .9, .9, .9, 1,  1 },
					{ .9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
					  .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9 },
				};

double nccl_tree_factor(const struct nccl_system *system, enum nccl_algorithm algorithm,
			enum nccl_protocol protocol, double bytes)
{
	const bool applies =
		algorithm == NCCL_TREE ||
		(algorithm == NCCL_NVLS_TREE && system->version >= 29 && generation(system) == 3);
	double power = bytes < 64 ? 0 : floor(log2(bytes / 64));

	if (!applies || (power > 22 && (system->version < 29 || protocol != NCCL_SIMPLE)))
		return 1;
	return power > 22 ? .9 : tree_factors[protocol][(int)power];
}
