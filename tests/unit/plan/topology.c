#include "plan/topology.h"

#include "unit/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/* What topologies are built from; a test fills what it needs. */
struct desk {
	struct arena arena;
	struct findings findings;
	struct settings settings;
	struct hosts *hosts;
};

static void desk_open(struct desk *desk, const char *hosts)
{
	arena_init(&desk->arena);
	findings_init(&desk->findings, &desk->arena);
	settings_init(&desk->settings);
	desk->hosts = NULL;
	if (hosts)
		desk->hosts = hosts_parse(&desk->arena,
					  source_new(&desk->arena, "hosts", hosts, strlen(hosts)),
					  &desk->findings);
}

static void put(struct desk *desk, enum field_id field, int64_t value)
{
	settings_put_int(&desk->settings, &desk->arena, field, value, ORIGIN_GIVEN);
}

static void put_order(struct desk *desk, const char *order)
{
	settings_put_text(&desk->settings, FIELD_CLUSTER_RANK_ORDER, order, ORIGIN_GIVEN);
}

static struct topology *build(struct desk *desk, int64_t world)
{
	return topology_new(&desk->arena, &desk->settings, world, desk->hosts, &desk->findings);
}

static bool found(const struct desk *desk, const struct rule_id *rule)
{
	size_t i;

	for (i = 0; i < desk->findings.list.count; i++)
		if (desk->findings.list.items[i]->rule == rule)
			return true;
	return false;
}

static struct spans spans_of(const struct topology *topology, int64_t size, int64_t stride)
{
	struct layout layout = layout_axis(size, stride);
	struct spans spans;

	assert_true(topology_spans(topology, &layout, &spans));
	return spans;
}

/* ---- enumeration agrees with the arithmetic ---- */

/* A small generator of our own: the same cases on every machine. */
static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return *state >> 33;
}

static int64_t pick(uint64_t *state, int64_t least, int64_t most)
{
	return least + (int64_t)(next(state) % (uint64_t)(most - least + 1));
}

enum { RANKS_MOST = 4096 };

/* Which node each rank is on, written down the slow way. */
struct seating {
	int64_t world, nodes;
	int64_t slots[RANKS_MOST];		    /* by node */
	int64_t node[RANKS_MOST], slot[RANKS_MOST]; /* by rank */
};

static void seat(struct seating *s, bool cyclic)
{
	int64_t rank = 0, node, round;
	int64_t taken[RANKS_MOST] = { 0 };

	for (node = 0; !cyclic && node < s->nodes; node++)
		for (round = 0; round < s->slots[node] && rank < s->world; round++, rank++) {
			s->node[rank] = node;
			s->slot[rank] = round;
		}
	for (round = 0; cyclic && rank < s->world; round++)
		for (node = 0; node < s->nodes && rank < s->world; node++)
			if (taken[node] < s->slots[node]) {
				s->slot[rank] = taken[node]++;
				s->node[rank++] = node;
			}
}

static int64_t distinct(const int64_t *items, int64_t count)
{
	bool seen[RANKS_MOST] = { false };
	int64_t i, sum = 0;

	for (i = 0; i < count; i++) {
		sum += !seen[items[i]];
		seen[items[i]] = true;
	}
	return sum;
}

static void hold_spans(const struct topology *topology, const struct seating *s,
		       const struct layout *layout)
{
	struct layout starts;
	struct spans spans;
	int64_t nodes[RANKS_MOST], racks[RANKS_MOST], g, i, inside = 0;
	int64_t low = RANKS_MOST, high = 0, rack_low = RANKS_MOST, rack_high = 0;

	assert_true(layout_complement(layout, s->world, &starts));
	assert_true(topology_spans(topology, layout, &spans));
	assert_int_equal(spans.groups, layout_size(&starts));
	assert_int_equal(spans.members, layout_size(layout));
	for (g = 0; g < spans.groups; g++) {
		int64_t touched, rack;
		for (i = 0; i < spans.members; i++) {
			int64_t rank = layout_offset(&starts, g) + layout_offset(layout, i);
			nodes[i] = s->node[rank];
			racks[i] = s->node[rank] / topology->domain;
		}
		touched = distinct(nodes, spans.members);
		rack = distinct(racks, spans.members);
		low = touched < low ? touched : low;
		high = touched > high ? touched : high;
		rack_low = rack < rack_low ? rack : rack_low;
		rack_high = rack > rack_high ? rack : rack_high;
		inside += touched == 1;
	}
	assert_int_equal(spans.nodes_min, low);
	assert_int_equal(spans.nodes_max, high);
	assert_int_equal(spans.inside, inside);
	assert_int_equal(spans.domains_min, rack_low);
	assert_int_equal(spans.domains_max, rack_high);
	assert_true((spans.node != WITHIN_NO) == (high == 1));
	assert_true((spans.domain != WITHIN_NO) == (rack_high == 1));
}

static void hold_places(const struct topology *topology, const struct seating *s)
{
	int64_t rank, node, ranks[RANKS_MOST] = { 0 };

	for (rank = 0; rank < s->world; rank++) {
		struct place place = topology_place(topology, rank);
		assert_int_equal(place.node, s->node[rank]);
		assert_int_equal(place.slot, s->slot[rank]);
		assert_int_equal(topology_rank(topology, place.node, place.slot), rank);
		ranks[place.node]++;
	}
	for (node = 0; node < topology->nodes; node++) {
		assert_int_equal(topology_ranks(topology, node), ranks[node]);
		assert_int_equal(topology_rank(topology, node, ranks[node]), -1);
		assert_true((ranks[node] > 0) == (node < topology->used));
	}
}

/* Every subset of the axes of a random mesh, under every order. */
static void hold_mesh(struct desk *desk, struct seating *s, const int64_t *sizes, int axes,
		      bool cyclic)
{
	struct layout all = layout_row_major(sizes, axes);
	struct topology *topology;
	unsigned int set;
	int i;

	put_order(desk, cyclic ? "cyclic" : "block");
	topology = build(desk, s->world);
	assert_non_null(topology);
	assert_int_equal(topology->nodes, s->nodes);
	seat(s, cyclic);
	hold_places(topology, s);
	for (set = 0; set < 1U << axes; set++) {
		struct layout some = { 0 };
		for (i = 0; i < axes; i++)
			if (set & 1U << i)
				some = layout_join(some, layout_axis(all.size[i], all.stride[i]));
		hold_spans(topology, s, &some);
	}
}

static int64_t random_mesh(uint64_t *state, int64_t *sizes, int axes)
{
	int64_t world = 1;
	int i;

	for (i = 0; i < axes; i++) {
		sizes[i] = pick(state, 1, 6);
		world *= sizes[i];
	}
	return world;
}

static void arithmetic_is_enumeration_on_alike_nodes(void **state)
{
	static struct seating s;
	uint64_t seed = 7;
	int round;

	(void)state;
	for (round = 0; round < 400; round++) {
		int64_t sizes[4], slots = pick(&seed, 1, 12), more = pick(&seed, 0, 2), i;
		struct desk desk;

		desk_open(&desk, NULL);
		s.world = random_mesh(&seed, sizes, 4);
		s.nodes = (s.world + slots - 1) / slots + more;
		for (i = 0; i < s.nodes; i++)
			s.slots[i] = slots;
		put(&desk, FIELD_CLUSTER_NODES, s.nodes);
		put(&desk, FIELD_CLUSTER_GPUS_PER_NODE, slots);
		if (round % 2)
			settings_put_text(&desk.settings, FIELD_CLUSTER_FABRIC, "nvl72",
					  ORIGIN_GIVEN);
		hold_mesh(&desk, &s, sizes, 4, false);
		hold_mesh(&desk, &s, sizes, 4, true);
		arena_release(&desk.arena);
	}
}

static void arithmetic_is_enumeration_on_different_hosts(void **state)
{
	static struct seating s;
	uint64_t seed = 11;
	int round;

	(void)state;
	for (round = 0; round < 200; round++) {
		int64_t sizes[4], capacity = 0;
		char text[RANKS_MOST * 16];
		size_t length = 0;
		struct desk desk;

		s.world = random_mesh(&seed, sizes, 4);
		for (s.nodes = 0; capacity < s.world; s.nodes++) {
			s.slots[s.nodes] = pick(&seed, 1, 6);
			capacity += s.slots[s.nodes];
			length += (size_t)snprintf(text + length, sizeof(text) - length,
						   "h%lld slots=%lld\n", (long long)s.nodes,
						   (long long)s.slots[s.nodes]);
		}
		desk_open(&desk, text);
		hold_mesh(&desk, &s, sizes, 4, false);
		hold_mesh(&desk, &s, sizes, 4, true);
		assert_int_equal(desk.findings.list.count, 0);
		arena_release(&desk.arena);
	}
}

/* ---- what is known and what is assumed ---- */

static void block_ranks_are_assumed_until_somebody_says(void **state)
{
	struct topology *topology;
	struct desk desk;

	(void)state;
	desk_open(&desk, NULL);
	assert_null(build(&desk, 16));
	put(&desk, FIELD_CLUSTER_GPUS_PER_NODE, 8);
	assert_null(build(&desk, 0));
	topology = build(&desk, 16);
	assert_string_equal(topology_order(topology), "block ranks assumed");
	assert_int_equal(spans_of(topology, 8, 1).node, WITHIN_ASSUMED);
	assert_int_equal(spans_of(topology, 2, 8).node, WITHIN_NO);
	assert_string_equal(within_name(spans_of(topology, 8, 1).node), "assumed");
	assert_true(spans_of(topology, 2, 8).assumed);
	assert_int_equal(spans_of(topology, 16, 1).node, WITHIN_NO);
	assert_false(spans_of(topology, 16, 1).assumed); /* more ranks than a node has */
	assert_int_equal(spans_of(topology, 1, 1).node, WITHIN_YES);
	topology = build(&desk, 8);
	assert_int_equal(spans_of(topology, 8, 1).node, WITHIN_YES);
	put_order(&desk, "block");
	assert_int_equal(spans_of(build(&desk, 16), 8, 1).node, WITHIN_YES);
	put_order(&desk, "cyclic");
	assert_int_equal(spans_of(build(&desk, 16), 8, 2).node, WITHIN_YES);
	assert_int_equal(spans_of(build(&desk, 16), 8, 1).node, WITHIN_NO);
	put(&desk, FIELD_CLUSTER_GPUS_PER_NODE, HOST_SLOTS_MAX + 1);
	assert_null(build(&desk, 16));
	arena_release(&desk.arena);
}

static void launchers_say_how_ranks_follow_nodes(void **state)
{
	struct topology *topology;
	struct desk desk;

	(void)state;
	desk_open(&desk, NULL);
	settings_put_text(&desk.settings, FIELD_LAUNCH_LAUNCHER, "torchrun", ORIGIN_LAUNCH);
	settings_put_text(&desk.settings, FIELD_LAUNCH_PER_NODE, "4", ORIGIN_LAUNCH);
	put(&desk, FIELD_LAUNCH_NODES, 3);
	topology = build(&desk, 12);
	assert_false(topology->assumed);
	assert_int_equal(topology->slots, 4);
	assert_int_equal(topology->gpus, 12);
	put(&desk, FIELD_CLUSTER_GPUS_PER_NODE, 8);
	topology = build(&desk, 12);
	assert_int_equal(topology->slots, 4);
	assert_int_equal(topology->gpus, 24); /* half of them have no rank */
	/* "gpu": as many processes as there are devices. */
	settings_put_text(&desk.settings, FIELD_LAUNCH_PER_NODE, "gpu", ORIGIN_LAUNCH);
	assert_int_equal(build(&desk, 24)->slots, 8);
	/* Where srun puts tasks is the site's choice. */
	settings_put_text(&desk.settings, FIELD_LAUNCH_LAUNCHER, "srun", ORIGIN_LAUNCH);
	put(&desk, FIELD_LAUNCH_TASKS_PER_NODE, 2);
	topology = build(&desk, 6);
	assert_true(topology->assumed);
	assert_int_equal(topology->slots, 2);
	/* accelerate counts the processes of all machines. */
	settings_put_text(&desk.settings, FIELD_LAUNCH_LAUNCHER, "accelerate", ORIGIN_LAUNCH);
	put(&desk, FIELD_LAUNCH_PROCESSES, 18);
	topology = build(&desk, 18);
	assert_false(topology->assumed);
	assert_int_equal(topology->slots, 6);
	arena_release(&desk.arena);
}

static void devices_differ_from_node_to_node(void **state)
{
	const struct setting *list;
	struct topology *topology;
	struct config config;
	struct desk desk;

	(void)state;
	config_read(&config, "parplan: 1\ncluster: {devices: [8, 4, 4], nodes: 9}\n", ".yaml", NULL,
		    "");
	list = config_setting(&config, FIELD_CLUSTER_DEVICES);
	assert_true(setting_known(list));
	desk_open(&desk, NULL);
	desk.settings.items[FIELD_CLUSTER_DEVICES] = *list;
	topology = build(&desk, 16);
	assert_int_equal(topology->nodes, 3);
	assert_int_equal(topology->slots, 0);
	assert_int_equal(topology->most, 8);
	assert_int_equal(topology_place(topology, 12).node, 2);
	assert_string_equal(topology_name(&desk.arena, topology, 2), "node 2");
	assert_int_equal(spans_of(topology, 4, 1).node, WITHIN_ASSUMED);
	assert_null(build(&desk, 17)); /* one rank has no device */
	arena_release(&desk.arena);
	config_release(&config);
}

static void a_rack_of_72_is_one_domain(void **state)
{
	struct topology *topology;
	struct desk desk;

	(void)state;
	desk_open(&desk, NULL);
	put(&desk, FIELD_CLUSTER_GPUS_PER_NODE, 4);
	put_order(&desk, "block");
	settings_put_text(&desk.settings, FIELD_CLUSTER_FABRIC, "nvl72", ORIGIN_GIVEN);
	topology = build(&desk, 144);
	assert_int_equal(topology->domain, 18);
	assert_int_equal(spans_of(topology, 8, 1).nodes_max, 2);
	assert_int_equal(spans_of(topology, 8, 1).domain, WITHIN_ASSUMED);
	assert_int_equal(spans_of(topology, 4, 1).domain, WITHIN_YES);
	assert_int_equal(spans_of(topology, 16, 1).domain, WITHIN_NO);
	assert_int_equal(spans_of(topology, 16, 1).domains_min, 1);
	arena_release(&desk.arena);
}

/* ---- hosts ---- */

static void hosts_are_read_as_launchers_write_them(void **state)
{
	static const char text[] = "# the first rack\n"
				   "gpu-a07 slots=8\r\n"
				   "\tgpu-b01.cluster:4 # four only\n\n"
				   "node[008-010,2],x slots=2 max_slots=4\n"
				   "r[1-2]n[1-2]\n"
				   "10.0.0.1";
	static const char *const names[] = { "gpu-a07", "gpu-b01.cluster",
					     "node008", "node009",
					     "node010", "node2",
					     "x",	"r1n1",
					     "r1n2",	"r2n1",
					     "r2n2",	"10.0.0.1" };
	static const int64_t slots[] = { 8, 4, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0 };
	struct desk desk;
	size_t i;

	(void)state;
	desk_open(&desk, text);
	assert_non_null(desk.hosts);
	assert_int_equal(desk.hosts->list.count, sizeof(slots) / sizeof(*slots));
	for (i = 0; i < desk.hosts->list.count; i++) {
		assert_string_equal(desk.hosts->list.items[i].name, names[i]);
		assert_int_equal(desk.hosts->list.items[i].slots, slots[i]);
	}
	assert_int_equal(desk.hosts->list.items[0].span.line, 2);
	assert_int_equal(desk.hosts->list.items[1].span.column, 2);
	assert_int_equal(desk.findings.list.count, 0);
	arena_release(&desk.arena);
}

static void what_is_no_list_of_hosts_is_said(void **state)
{
	static const struct {
		const char *text;
		unsigned int line, column;
	} wrong[] = {
		{ "", 1, 1 },
		{ "# nothing\n", 1, 1 },
		{ "a\nb slots=x\n", 2, 9 },
		{ "a slots=0", 1, 9 },
		{ "a slots=8x", 1, 9 },
		{ "a slots=1025", 1, 9 },
		{ "a b", 1, 3 },
		{ "node[1-\n", 1, 5 },
		{ "node[1-3", 1, 5 },
		{ "node[3-1]", 1, 6 },
		{ "node[]", 1, 6 },
		{ "node[1,]", 1, 8 },
		{ "node[1;2]", 1, 7 },
		{ "a,,b", 1, 3 },
		{ "[1-2000000]", 1, 1 },
		{ "a[0-999999]\nb[0-999999]", 2, 1 },
		{ "parplan: 1\n", 1, 9 },
		{ "#!/bin/sh\nscontrol show $x\n", 2, 10 },
		{ "a:", 1, 3 },
		{ "a\1", 1, 2 },
		{ "node]", 1, 5 },
		{ "[[1]]", 1, 2 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct desk desk;
		desk_open(&desk, wrong[i].text);
		assert_null(desk.hosts);
		assert_int_equal(desk.findings.list.count, 1);
		assert_int_equal(desk.findings.list.items[0]->severity, SEVERITY_ERROR);
		assert_int_equal(desk.findings.list.items[0]->span.line, wrong[i].line);
		assert_int_equal(desk.findings.list.items[0]->span.column, wrong[i].column);
		arena_release(&desk.arena);
	}
}

static void a_host_that_is_there_twice_counts_once(void **state)
{
	struct desk desk;

	(void)state;
	desk_open(&desk, "a\nb\na\nb\n");
	assert_int_equal(desk.hosts->list.count, 2);
	assert_int_equal(desk.findings.list.count, 1);
	assert_ptr_equal(desk.findings.list.items[0]->rule, &rule_hosts_duplicate);
	assert_int_equal(desk.findings.list.items[0]->span.line, 3);
	arena_release(&desk.arena);
}

static void nodes_are_in_the_order_of_launch(void **state)
{
	struct topology *topology;
	struct desk desk;

	(void)state;
	desk_open(&desk, "node2.x\nnode10.x\nnode1.x\n");
	put(&desk, FIELD_CLUSTER_GPUS_PER_NODE, 8);
	topology = build(&desk, 24);
	assert_string_equal(topology_name(&desk.arena, topology, 1), "node10.x");
	assert_int_equal(topology_find(topology, "node1"), 2);
	assert_int_equal(topology_find(topology, "node1.x"), 2);
	assert_int_equal(topology_find(topology, "node1.y"), -1);
	assert_int_equal(topology_find(topology, "node"), -1);
	assert_int_equal(topology_find(topology, "2"), -1);
	assert_false(topology->assumed);
	/* torchrun's rendezvous sorts addresses as texts: "node10" is before "node2". */
	put_order(&desk, "torchrun-c10d");
	topology = build(&desk, 24);
	assert_string_equal(topology_name(&desk.arena, topology, 0), "node1.x");
	assert_string_equal(topology_name(&desk.arena, topology, 1), "node10.x");
	assert_string_equal(topology_order(topology), "block ranks, nodes by name");
	/* Only the hosts that the ranks need take part. */
	topology = build(&desk, 16);
	assert_int_equal(topology->nodes, 2);
	assert_string_equal(topology_name(&desk.arena, topology, 1), "node2.x");
	arena_release(&desk.arena);
}

static void nodes_without_names_have_numbers(void **state)
{
	struct topology *topology;
	struct desk desk;

	(void)state;
	desk_open(&desk, NULL);
	put(&desk, FIELD_CLUSTER_GPUS_PER_NODE, 8);
	topology = build(&desk, 24);
	assert_string_equal(topology_name(&desk.arena, topology, 1), "node 1");
	assert_int_equal(topology_find(topology, "node2"), 2);
	assert_int_equal(topology_find(topology, "2"), 2);
	assert_int_equal(topology_find(topology, "node3"), -1);
	assert_int_equal(topology_find(topology, "-1"), -1);
	arena_release(&desk.arena);
}

static void hosts_that_do_not_add_up_are_not_used(void **state)
{
	struct topology *topology;
	struct desk desk;

	(void)state;
	desk_open(&desk, "a slots=8\nb slots=4\n");
	topology = build(&desk, 16);
	assert_null(topology);
	assert_true(found(&desk, &rule_hosts_too_few));
	put(&desk, FIELD_CLUSTER_NODES, 3);
	put(&desk, FIELD_CLUSTER_GPUS_PER_NODE, 8);
	topology = build(&desk, 16);
	assert_null(topology->hosts);
	assert_true(topology->assumed);
	arena_release(&desk.arena);

	desk_open(&desk, "a slots=96\nb slots=96\n");
	put(&desk, FIELD_CLUSTER_GPUS_PER_NODE, 8);
	topology = build(&desk, 16);
	assert_true(found(&desk, &rule_hosts_slots));
	assert_int_equal(topology->slots, 8);
	assert_int_equal(topology->used, 2);
	arena_release(&desk.arena);
}

/* ---- size ---- */

/* `make bench` says how long it takes: counting ranks one by one for each axis would be seen there.
 */
static void a_million_ranks_are_laid_out(void **state)
{
	static const int64_t sizes[] = { 16, 64, 128, 8 };
	struct layout all = layout_row_major(sizes, 4);
	struct topology *topology;
	struct desk desk;
	int i, round;

	(void)state;
	desk_open(&desk, NULL);
	put(&desk, FIELD_CLUSTER_GPUS_PER_NODE, 8);
	put_order(&desk, "block");
	for (round = 0; round < 2; round++) {
		topology = build(&desk, 1 << 20);
		assert_int_equal(topology->used, (1 << 20) / 8);
		for (i = 0; i < all.modes; i++)
			spans_of(topology, all.size[i], all.stride[i]);
		put_order(&desk, "cyclic");
	}
	arena_release(&desk.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic_is_enumeration_on_alike_nodes),
		cmocka_unit_test(arithmetic_is_enumeration_on_different_hosts),
		cmocka_unit_test(block_ranks_are_assumed_until_somebody_says),
		cmocka_unit_test(launchers_say_how_ranks_follow_nodes),
		cmocka_unit_test(devices_differ_from_node_to_node),
		cmocka_unit_test(a_rack_of_72_is_one_domain),
		cmocka_unit_test(hosts_are_read_as_launchers_write_them),
		cmocka_unit_test(what_is_no_list_of_hosts_is_said),
		cmocka_unit_test(a_host_that_is_there_twice_counts_once),
		cmocka_unit_test(nodes_are_in_the_order_of_launch),
		cmocka_unit_test(nodes_without_names_have_numbers),
		cmocka_unit_test(hosts_that_do_not_add_up_are_not_used),
		cmocka_unit_test(a_million_ranks_are_laid_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
