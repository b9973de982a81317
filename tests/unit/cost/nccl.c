/* Choices of NCCL 2.28 as its tuner computes them: latencies and bandwidths of known systems. */
#include "cost/nccl/nccl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

static struct nccl_system hopper(int64_t ranks, int64_t nodes)
{
	return (struct nccl_system) { .version = 28,
				      .capability = 90,
				      .ranks = ranks,
				      .nodes = nodes,
				      .links = 18,
				      .pcie = 64,
				      .adapters = 8,
				      .adapter = 50,
				      .nvswitch = true };
}

static void expect_way(struct nccl_system system, enum nccl_op op, enum nccl_algorithm algorithm,
		       enum nccl_protocol protocol, double latency, double bandwidth)
{
	struct nccl_graphs graphs = nccl_search(&system);
	struct nccl_way way = nccl_way_of(&system, &graphs, op, algorithm, protocol);

	assert_true(fabs(way.latency - latency) < .06);
	assert_true(fabs(way.bandwidth - bandwidth) < .06);
}

static void expect_choice(struct nccl_system system, enum nccl_op op, double bytes,
			  enum nccl_algorithm algorithm, enum nccl_protocol protocol, double time)
{
	struct nccl_graphs graphs = nccl_search(&system);
	struct nccl_choice choice = nccl_choose(&system, &graphs, op, bytes);

	assert_int_equal(choice.algorithm, algorithm);
	assert_int_equal(choice.protocol, protocol);
	assert_true(fabs(choice.time - time) < .006 * time + .06);
}

static void graphs_of_common_machines(void **state)
{
	struct nccl_system system = hopper(8, 1);
	struct nccl_graphs graphs = nccl_search(&system);

	(void)state;
	assert_int_equal(graphs.ring.channels, 12);
	assert_true(graphs.ring.inside == 30 && graphs.nvls.inside == 40);
	assert_int_equal(graphs.nvls.channels, 8);
	system = hopper(16, 2);
	graphs = nccl_search(&system);
	assert_int_equal(graphs.ring.channels, 8);
	assert_true(graphs.ring.outside == 48 && graphs.nvls.outside == 48);
	system = hopper(8, 1);
	system.capability = 80;
	system.links = 12;
	graphs = nccl_search(&system);
	assert_int_equal(graphs.ring.channels, 12);
	assert_true(graphs.ring.inside == 20);
	assert_int_equal(graphs.nvls.channels, 0);
	system.capability = 100;
	system.links = 18;
	graphs = nccl_search(&system);
	assert_int_equal(graphs.ring.channels, 16);
	assert_true(graphs.ring.inside == 45 && graphs.nvls.inside == 80);
}

static void one_node(void **state)
{
	const struct nccl_system node = hopper(8, 1);

	(void)state;
	expect_way(node, NCCL_ALL_REDUCE, NCCL_RING, NCCL_LL, 15.0, 80.6);
	expect_way(node, NCCL_ALL_REDUCE, NCCL_RING, NCCL_LL128, 40.6, 189.3);
	expect_way(node, NCCL_ALL_REDUCE, NCCL_RING, NCCL_SIMPLE, 56.0, 205.7);
	expect_way(node, NCCL_ALL_REDUCE, NCCL_TREE, NCCL_LL128, 31.5, 128.8);
	expect_way(node, NCCL_ALL_REDUCE, NCCL_NVLS, NCCL_SIMPLE, 25.0, 272.0);
	expect_way(node, NCCL_ALL_GATHER, NCCL_RING, NCCL_LL128, 27.3, 378.5);
	expect_way(node, NCCL_ALL_GATHER, NCCL_RING, NCCL_SIMPLE, 32.2, 411.4);
	expect_choice(node, NCCL_ALL_REDUCE, 8, NCCL_RING, NCCL_LL, 15.0);
	expect_choice(node, NCCL_ALL_REDUCE, 1 << 20, NCCL_RING, NCCL_LL, 28.0);
	expect_choice(node, NCCL_ALL_REDUCE, 16 << 20, NCCL_NVLS, NCCL_SIMPLE, 86.7);
	expect_choice(node, NCCL_ALL_REDUCE, 1 << 30, NCCL_NVLS, NCCL_SIMPLE, 3973);
	expect_choice(node, NCCL_ALL_GATHER, 256 << 20, NCCL_RING, NCCL_SIMPLE, 684.7);
}

static void two_nodes(void **state)
{
	const struct nccl_system nodes = hopper(16, 2);

	(void)state;
	expect_way(nodes, NCCL_ALL_REDUCE, NCCL_RING, NCCL_LL128, 75.2, 156.6);
	expect_way(nodes, NCCL_ALL_REDUCE, NCCL_RING, NCCL_SIMPLE, 131.6, 204.8);
	expect_way(nodes, NCCL_ALL_REDUCE, NCCL_TREE, NCCL_LL128, 48.5, 146.8);
	expect_way(nodes, NCCL_ALL_REDUCE, NCCL_NVLS_TREE, NCCL_SIMPLE, 66.8, 246.2);
	expect_choice(nodes, NCCL_ALL_REDUCE, 8, NCCL_TREE, NCCL_LL, 25.2);
	expect_choice(nodes, NCCL_ALL_REDUCE, 1 << 20, NCCL_TREE, NCCL_LL128, 60.4);
	expect_choice(nodes, NCCL_ALL_REDUCE, 16 << 20, NCCL_NVLS_TREE, NCCL_SIMPLE, 135);
	expect_choice(nodes, NCCL_ALL_REDUCE, 8589934592.0, NCCL_NVLS_TREE, NCCL_SIMPLE, 34959);
}

static void sixteen_nodes(void **state)
{
	const struct nccl_system nodes = hopper(128, 16);

	(void)state;
	expect_way(nodes, NCCL_ALL_REDUCE, NCCL_RING, NCCL_LL, 311.6, 10.3);
	expect_way(nodes, NCCL_ALL_REDUCE, NCCL_TREE, NCCL_LL128, 99.5, 116.0);
	expect_way(nodes, NCCL_ALL_REDUCE, NCCL_NVLS_TREE, NCCL_SIMPLE, 192.2, 183.4);
	expect_way(nodes, NCCL_ALL_GATHER, NCCL_RING, NCCL_LL, 159.1, 20.6);
	expect_way(nodes, NCCL_ALL_GATHER, NCCL_RING, NCCL_SIMPLE, 599.2, 387.0);
	expect_choice(nodes, NCCL_ALL_REDUCE, 1 << 20, NCCL_TREE, NCCL_LL128, 114.6);
	expect_choice(nodes, NCCL_ALL_REDUCE, 256 << 20, NCCL_NVLS_TREE, NCCL_SIMPLE, 1656);
	expect_choice(nodes, NCCL_ALL_REDUCE, 8589934592.0, NCCL_RING, NCCL_SIMPLE, 46056);
}

/* PAT is for one rank per node; SHARP brings NVLS over nodes. */
static void enabled_where_possible(void **state)
{
	struct nccl_system system = hopper(16, 16);
	struct nccl_graphs graphs = nccl_search(&system);

	(void)state;
	assert_true(
		nccl_way_of(&system, &graphs, NCCL_ALL_GATHER, NCCL_PAT, NCCL_SIMPLE).bandwidth >
		0);
	system.version = 22;
	assert_true(
		nccl_way_of(&system, &graphs, NCCL_ALL_GATHER, NCCL_PAT, NCCL_SIMPLE).bandwidth ==
		0);
	system = hopper(16, 2);
	graphs = nccl_search(&system);
	assert_true(
		nccl_way_of(&system, &graphs, NCCL_ALL_REDUCE, NCCL_NVLS, NCCL_SIMPLE).bandwidth ==
		0);
	system.sharp = true;
	assert_true(
		nccl_way_of(&system, &graphs, NCCL_ALL_REDUCE, NCCL_NVLS, NCCL_SIMPLE).bandwidth >
		0);
}

static void environment_is_respected(void **state)
{
	struct nccl_system system = hopper(8, 1);

	(void)state;
	assert_true(nccl_algorithms("Ring", &system.algorithms));
	expect_choice(system, NCCL_ALL_REDUCE, 1 << 30, NCCL_RING, NCCL_SIMPLE, 56 + 5219.9);
	assert_true(nccl_algorithms("^nvls,NVLSTree", &system.algorithms));
	expect_choice(system, NCCL_ALL_REDUCE, 1 << 30, NCCL_RING, NCCL_SIMPLE, 56 + 5219.9);
	assert_true(nccl_protocols("LL", &system.protocols));
	expect_choice(system, NCCL_ALL_REDUCE, 1 << 30, NCCL_RING, NCCL_LL, 15 + 13322);
	assert_false(nccl_algorithms("Rings", &system.algorithms));
	assert_false(nccl_protocols("^", &system.protocols) && !system.protocols);
}

static void versions(void **state)
{
	(void)state;
	assert_int_equal(nccl_version("2.27"), 27);
	assert_int_equal(nccl_version("2.27.3"), 27);
	assert_int_equal(nccl_version("v2.23.4-1"), 23);
	assert_int_equal(nccl_version("2.9"), NCCL_OLDEST);
	assert_int_equal(nccl_version("2.99"), NCCL_NEWEST);
	assert_int_equal(nccl_version("12.4"), 0);
	assert_int_equal(nccl_version("2.x"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graphs_of_common_machines),
		cmocka_unit_test(one_node),
		cmocka_unit_test(two_nodes),
		cmocka_unit_test(sixteen_nodes),
		cmocka_unit_test(enabled_where_possible),
		cmocka_unit_test(environment_is_respected),
		cmocka_unit_test(versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
