/*
 * Files of hosts: reading never crashes, hangs or leaks; places are sound, and whatever topology
 * comes of it, places and ranks are each other's inverse. The first two bytes pick cluster and
 * world.
 */
#include "tree.h"

#include "plan/topology.h"

#include <string.h>

static void check_host(const struct host *host)
{
	if (!*host->name || host->slots < 0 || host->slots > HOST_SLOTS_MAX)
		bug("host '%s' with %lld slots", host->name, (long long)host->slots);
	check_span(host->span);
}

static void check_rank(const struct topology *topology, int64_t rank)
{
	struct place place = topology_place(topology, rank);

	if (place.node < 0 || place.node >= topology->used || place.slot < 0 ||
	    place.slot >= topology->most)
		bug("rank %lld is on node %lld", (long long)rank, (long long)place.node);
	if (topology_rank(topology, place.node, place.slot) != rank)
		bug("rank %lld is not where it is", (long long)rank);
}

static void check_topology(struct arena *arena, const struct hosts *hosts, uint8_t how,
			   uint8_t more, struct findings *findings)
{
	static const char *const orders[] = { "block", "cyclic", "torchrun-c10d" };
	struct settings *settings = arena_new(arena, struct settings);
	int64_t world = 1 + more * 3, rank;
	struct layout all = layout_axis(world, 1);
	struct topology *topology;
	struct spans spans;

	settings_init(settings);
	settings_put_text(settings, FIELD_CLUSTER_RANK_ORDER, orders[how % 3], ORIGIN_GIVEN);
	if (how & 4)
		settings_put_int(settings, arena, FIELD_CLUSTER_GPUS_PER_NODE, 1 + (how >> 5),
				 ORIGIN_GIVEN);
	if (how & 8)
		settings_put_int(settings, arena, FIELD_CLUSTER_NODES, more / 4, ORIGIN_GIVEN);
	topology = topology_new(arena, settings, world, hosts, findings);
	for (rank = 0; topology && rank < world; rank++)
		check_rank(topology, rank);
	if (topology && (!topology_spans(topology, &all, &spans) ||
			 spans.nodes_max != topology->used || spans.groups != 1))
		bug("%lld ranks touch %lld of %lld nodes", (long long)world,
		    (long long)spans.nodes_max, (long long)topology->used);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct findings findings;
	struct hosts *hosts;
	struct arena arena;
	char *text;
	size_t i;

	if (size < 2)
		return 0;
	arena_init(&arena);
	findings_init(&findings, &arena);
	text = arena_alloc(&arena, size);
	memcpy(text, data + 2, size - 2);
	hosts = hosts_parse(&arena, source_new(&arena, "<fuzz>", text, size - 2), &findings);
	if (!hosts && !findings.list.count)
		bug("neither hosts nor an error");
	for (i = 0; hosts && i < hosts->list.count; i++)
		check_host(&hosts->list.items[i]);
	for (i = 0; i < findings.list.count; i++)
		check_span(findings.list.items[i]->span);
	check_topology(&arena, hosts, data[0], data[1], &findings);
	arena_release(&arena);
	return 0;
}
