/* Times of collectives obey the links: no bytes faster than they can travel, on any system. */
#include "cost/calibration.h"
#include "cost/network.h"
#include "unit/file_arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

static struct profile *profile_of(const char *gpu, const char *fabric)
{
	struct profile *profile = arena_new(&arena, struct profile);

	profile_init(profile, &arena);
	assert_true(profile_gpu(profile, gpu));
	assert_true(profile_fabric(profile, fabric));
	return profile;
}

static struct route route_on(const struct profile *profile, int64_t ranks, int64_t nodes)
{
	struct communicator_place place;

	communicator_place_init(&place, profile, ranks, nodes);
	return route_of(&place);
}

/*
 * The fewest microseconds for what has to leave a device, and for what has to leave a node, at
 * the datasheet's rates. An all-reduce that the switch adds up sends each byte once, not twice.
 */
static double least(const struct route *route, const struct collective *op, double bytes)
{
	const struct profile *profile = route->place.profile;
	const double ranks = route->links.ranks, nodes = route->links.nodes;
	const double link = 1e3 * fmax(profile_get(profile, FIGURE_LINK_BANDWIDTH),
				       profile_get(profile, FIGURE_PCIE_BANDWIDTH));
	const double adapters =
		1e3 * route->place.adapters * profile_get(profile, FIGURE_NIC_BANDWIDTH);
	double device = bytes * (ranks - 1) / ranks / link, node = 0;

	if (op->op == NCCL_POINT_TO_POINT)
		device = bytes / ranks * (strcmp(op->name, "send_recv") ? ranks - 1 : ranks) / link;
	if (nodes > 1)
		node = bytes / ranks * (strcmp(op->name, "send_recv") ? 1 : 0) * (nodes - 1) /
		       nodes / adapters;
	if (nodes > 1 && op->op == NCCL_ALL_REDUCE)
		node = 2 * bytes * (nodes - 1) / nodes / adapters;
	if (nodes > 1 && (op->op == NCCL_ALL_GATHER || op->op == NCCL_REDUCE_SCATTER))
		node = bytes * (nodes - 1) / nodes / adapters;
	return fmax(device, node);
}

static void check_bounds(const struct route *route)
{
	const struct collective *const *op;
	double bytes, before, time;

	for (op = collectives; *op; op++)
		for (bytes = 8, before = 0; bytes < 1e11; bytes *= 4, before = time) {
			time = collective_model(route, *op, bytes);
			assert_true(isfinite(time) && time >= least(route, *op, bytes));
			/* A larger one of the same choice takes no less; another choice may jump.
			 */
			assert_true(time > .7 * before);
		}
}

static void never_faster_than_the_links(void **state)
{
	static const char *const gpus[] = { "v100-32g", "a100-80g", "h100-sxm", "h200",	 "h800",
					    "b200",	"gb200",    "l40s",	"mi300x" };
	static const int64_t nodes[] = { 1, 2, 3, 4, 16, 128 }, local[] = { 1, 2, 4, 8 };
	size_t i, j, k;

	(void)state;
	for (i = 0; i < sizeof(gpus) / sizeof(*gpus); i++)
		for (j = 0; j < sizeof(nodes) / sizeof(*nodes); j++)
			for (k = 0; k < sizeof(local) / sizeof(*local); k++) {
				struct route route;
				if (nodes[j] * local[k] < 2)
					continue;
				route = route_on(profile_of(gpus[i], "ib"), nodes[j] * local[k],
						 nodes[j]);
				check_bounds(&route);
			}
}

/* Gathering and scattering are mirrored, and together they are what a ring's all-reduce does. */
static void a_ring_is_both_halves(void **state)
{
	struct communicator_place place;
	struct route route;
	double gather, scatter, reduce;

	(void)state;
	communicator_place_init(&place, profile_of("a100-80g", "ib"), 8, 1);
	assert_true(nccl_algorithms("Ring", &place.algorithms));
	route = route_of(&place);
	gather = collective_model(&route, collective_find("all_gather"), 1 << 30);
	scatter = collective_model(&route, collective_find("reduce_scatter"), 1 << 30);
	reduce = collective_model(&route, collective_find("all_reduce"), 1 << 30);
	assert_true(gather == scatter);
	assert_true(fabs(reduce / (gather + scatter) - 1) < .08);
}

/* Groups that share a node's adapters have less of them. */
static void groups_share_adapters(void **state)
{
	const struct profile *profile = profile_of("h100-sxm", "ib");
	const struct collective *gather = collective_find("all_gather");
	const struct layout all = layout_axis(16, 1), far = layout_axis(16, 8);
	struct lane whole = network_lane(profile, 8, &all);
	struct lane strided = network_lane(profile, 8, &far);

	(void)state;
	assert_true(whole.route.place.nodes == 2 && whole.route.place.adapters == 8);
	assert_true(strided.route.place.nodes == 16 && strided.route.place.adapters == 1);
	assert_true(network_seconds(&strided, gather, 1e9) >
		    5 * network_seconds(&whole, gather, 1e9));
}

/* Pairs of V100 share a link; all eight close six rings. */
static void meshes_of_links(void **state)
{
	const struct profile *profile = profile_of("v100-32g", "ib");

	(void)state;
	assert_true(route_on(profile, 2, 1).links.inside * 5 <
		    route_on(profile, 8, 1).links.inside);
	profile = profile_of("a100-80g", "ib");
	assert_true(route_on(profile, 2, 1).links.inside == route_on(profile, 8, 1).links.inside);
}

/* A rack that one switch joins counts as one node. */
static void racks_are_nodes(void **state)
{
	const struct profile *profile = profile_of("gb200", "nvl72");

	(void)state;
	assert_int_equal(route_on(profile, 64, 16).place.nodes, 1);
	assert_int_equal(route_on(profile, 128, 32).place.nodes, 2);
	assert_int_equal(route_on(profile_of("b200", "ib"), 64, 8).place.nodes, 8);
}

/*
 * Every fourth of 128 ranks: a rack of 72 holds 16 of the group's 32, which is two racks and not
 * the one that would hold 32 devices.
 */
static void groups_leave_racks(void **state)
{
	struct profile *profile = profile_of("gb200", "nvl72");
	struct layout group = { .modes = 1, .size = { 32 }, .stride = { 4 } };
	struct lane lane = network_lane(profile, 4, &group);

	(void)state;
	assert_int_equal(network_nodes(profile, 4, &group), 2);
	assert_int_equal(lane.route.place.nodes, 2);
	/* four groups share the 72 adapters of a rack's 18 nodes; a member has one */
	assert_true(lane.route.place.adapters == 16);
	group.stride[0] = 1;
	lane = network_lane(profile, 4, &group);
	assert_int_equal(lane.route.place.nodes, 1);
}

static struct measurement *table_of(const char *gpu, const char *op, int64_t ranks, double factor)
{
	struct measurement *table = arena_new(&arena, struct measurement);
	struct route route = route_on(profile_of(gpu, "ib"), ranks, 1);
	struct measurements all = { 0 };
	double bytes;

	*table = (struct measurement) {
		.source = "test", .op = collective_find(op), .gpu = gpu, .ranks = ranks, .nodes = 1
	};
	for (bytes = 1024; bytes < 1e9; bytes *= 4)
		measurement_put(&arena, table, bytes,
				factor * collective_model(&route, table->op, bytes));
	measurement_finish(&arena, table, &all);
	return table;
}

static struct collective_time calibrated(const struct calibration *calibration, const char *gpu,
					 const char *op, int64_t ranks, int64_t nodes)
{
	struct communicator_place place;
	struct route route;

	communicator_place_init(&place, profile_of(gpu, "ib"), ranks, nodes);
	place.calibration = calibration;
	route = route_of(&place);
	return collective_time(&route, collective_find(op), 1 << 20);
}

static double model(const char *gpu, const char *op, int64_t ranks, int64_t nodes)
{
	struct route route = route_on(profile_of(gpu, "ib"), ranks, nodes);

	return collective_model(&route, collective_find(op), 1 << 20);
}

static void tables_speak_for_their_system(void **state)
{
	struct calibration calibration;
	struct collective_time time;

	(void)state;
	calibration_init(&calibration, &arena);
	assert_true(calibration_add(&calibration, table_of("h100-sxm", "all_gather", 8, 1.5)));
	time = calibrated(&calibration, "h100-sxm", "all_gather", 8, 1);
	assert_true(time.calibrated);
	assert_true(fabs(time.time / model("h100-sxm", "all_gather", 8, 1) - 1.5) < .05);
	assert_true(time.low < time.time && time.time < time.high);
	/* A sibling learns from it, less. */
	time = calibrated(&calibration, "h200", "all_gather", 8, 1);
	assert_true(time.time > 1.1 * model("h200", "all_gather", 8, 1));
	assert_true(time.time < 1.45 * model("h200", "all_gather", 8, 1));
	/* Other generations, networks and kinds of collectives do not. */
	time = calibrated(&calibration, "b200", "all_gather", 8, 1);
	assert_true(!time.calibrated && time.time == model("b200", "all_gather", 8, 1));
	time = calibrated(&calibration, "h100-sxm", "all_gather", 16, 2);
	assert_true(!time.calibrated && time.time == model("h100-sxm", "all_gather", 16, 2));
	time = calibrated(&calibration, "h100-sxm", "all_to_all", 8, 1);
	assert_true(!time.calibrated && time.time == model("h100-sxm", "all_to_all", 8, 1));
}

static void boxes_of_pcie_do_not_transfer(void **state)
{
	struct calibration calibration;

	(void)state;
	calibration_init(&calibration, &arena);
	assert_true(calibration_add(&calibration, table_of("l40s", "all_gather", 8, 9)));
	assert_true(calibrated(&calibration, "l40s", "all_gather", 8, 1).calibrated);
	assert_false(calibrated(&calibration, "l40s", "all_gather", 4, 1).calibrated);
	assert_true(calibrated(&calibration, "l40s", "all_gather", 4, 1).time ==
		    model("l40s", "all_gather", 4, 1));
}

/* A table the model foretells exactly is foretold exactly by its own other sizes. */
static void sizes_left_out(void **state)
{
	struct calibration calibration;
	const struct calibration_row *row;
	struct calibration_fit fit;

	(void)state;
	calibration_init(&calibration, &arena);
	assert_true(calibration_add(&calibration, table_of("h100-sxm", "all_gather", 8, 2)));
	row = &calibration.rows.items[0];
	fit = calibration_fit(&row, 1, 0, 1e18);
	assert_true(fabs(fit.model - .5) < .3);
	assert_true(fit.left_out >= 0 && fit.left_out < .5);
	assert_true(calibration_fit(&row, 1, 1e17, 1e18).model < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(never_faster_than_the_links, begin, end),
		cmocka_unit_test_setup_teardown(a_ring_is_both_halves, begin, end),
		cmocka_unit_test_setup_teardown(groups_share_adapters, begin, end),
		cmocka_unit_test_setup_teardown(meshes_of_links, begin, end),
		cmocka_unit_test_setup_teardown(racks_are_nodes, begin, end),
		cmocka_unit_test_setup_teardown(groups_leave_racks, begin, end),
		cmocka_unit_test_setup_teardown(tables_speak_for_their_system, begin, end),
		cmocka_unit_test_setup_teardown(boxes_of_pcie_do_not_transfer, begin, end),
		cmocka_unit_test_setup_teardown(sizes_left_out, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
