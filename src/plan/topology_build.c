#include "base/number.h"
#include "base/text.h"
#include "input/field.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "plan/topology.h"
#include "plan/topology_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct rule_id rule_hosts_too_few = {
	.name = "hosts-too-few",
	.code = "G104",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_READ,
	.summary = "the file of hosts has too few places for the ranks",
	.explanation =
		"Every rank needs a slot on a host. A file with fewer hosts than cluster.nodes, "
		"or with fewer slots than the world has ranks, belongs to another job. Launchers "
		"refuse it (mpirun) or start a smaller world. If a rank has no place, parplan "
		"does not use the names.",
	.remedy = "Name the file of this job's hosts, or correct cluster.nodes or the world.",
	.source = "https://docs.open-mpi.org/en/v5.0.x/launching-apps/scheduling.html",
};

const struct rule_id rule_hosts_slots = {
	.name = "hosts-slots",
	.code = "G105",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_READ,
	.summary = "the slots in the file of hosts do not fit the cluster",
	.explanation =
		"A slot is a place for one rank, and a rank has one GPU. When the slots in the "
		"file differ from the GPUs in the config, one of them belongs to another machine, "
		"or the file counts CPU cores. Ranks can use the smaller number.",
	.remedy = "Write the number of GPUs into the file of hosts, or correct the cluster.",
	.source = "deepspeedai/DeepSpeed deepspeed/launcher/runner.py _parse_hostfile",
};

struct builder {
	struct arena *arena;
	const struct settings *settings;
	struct findings *findings;
	struct topology *topology;
	int64_t gpus;  /* of a node, or 0 */
	int64_t slots; /* ranks a node is to run, or 0 */
	int64_t nodes; /* nodes there are, or 0 */
	VEC(const struct host *) hosts;
};

/* ---- what the settings say ---- */

static int64_t known_int(const struct builder *b, enum field_id id)
{
	int64_t value = setting_int(b->settings, id, 0);

	return value > 0 ? value : 0;
}

static bool launched_by(const struct builder *b, const char *launcher)
{
	return !strcmp(setting_text(b->settings, FIELD_LAUNCH_LAUNCHER, ""), launcher);
}

/* The processes that the launcher starts on each node; 0: it does not say, or not in numbers. */
static int64_t processes(const struct builder *b)
{
	int64_t count = known_int(b, FIELD_LAUNCH_PROCESSES);
	const char *word = setting_text(b->settings, FIELD_LAUNCH_PER_NODE, "");

	if (count && b->nodes && count % b->nodes == 0)
		return count / b->nodes;
	if (text_to_int(word, &count) && count > 0)
		return count;
	return launched_by(b, "srun") ? known_int(b, FIELD_LAUNCH_TASKS_PER_NODE) : 0;
}

static enum rank_order order_of(const struct settings *settings)
{
	const char *order = setting_text(settings, FIELD_CLUSTER_RANK_ORDER, "block");

	if (!strcmp(order, "cyclic"))
		return ORDER_CYCLIC;
	return strcmp(order, "torchrun-c10d") ? ORDER_BLOCK : ORDER_C10D;
}

static void read_settings(struct builder *b)
{
	static const enum field_id nodes[] = { FIELD_LAUNCH_NODES, FIELD_LAUNCH_REPLICAS,
					       FIELD_CLUSTER_NODES };
	size_t i;

	for (i = 0; i < sizeof(nodes) / sizeof(*nodes) && !b->nodes; i++)
		b->nodes = known_int(b, nodes[i]);
	b->gpus = known_int(b, FIELD_CLUSTER_GPUS_PER_NODE);
	b->slots = processes(b);
	if (!b->slots)
		b->slots = b->gpus;
	if (!b->slots && !launched_by(b, "srun"))
		b->slots = known_int(b, FIELD_LAUNCH_GPUS_REQUESTED);
	if (b->slots > HOST_SLOTS_MAX)
		b->slots = 0;
}

/* ---- nodes that differ ---- */

/* The ranks a host runs: no more than it has slots, nor than a node is to run. */
static int64_t slots_of(const struct builder *b, const struct host *host)
{
	if (!host->slots || (b->slots && b->slots < host->slots))
		return b->slots;
	return host->slots;
}

static void report_slots(const struct builder *b, const struct hosts *hosts)
{
	const struct host *first = NULL;
	struct finding *finding;
	int64_t more = -1;
	size_t i;

	for (i = 0; b->gpus && i < hosts->list.count; i++) {
		const struct host *host = &hosts->list.items[i];
		if (host->slots > b->gpus) {
			first = first ? first : host;
			more++;
		}
	}
	if (!first)
		return;
	finding = finding_add(b->findings, &rule_hosts_slots, first->span,
			      "%s%s has %" PRId64 " slots, but a node has %" PRId64
			      " GPUs: only so many ranks are taken to run on it",
			      first->name,
			      more ? arena_printf(b->arena, " (and %" PRId64 " more)", more) : "",
			      first->slots, b->gpus);
	finding_relate(b->findings, finding, b->settings->items[FIELD_CLUSTER_GPUS_PER_NODE].span,
		       "gpus_per_node=%" PRId64, b->gpus);
}

static void report_too_few(const struct builder *b, const struct hosts *hosts, int64_t capacity)
{
	const struct setting *nodes = &b->settings->items[FIELD_CLUSTER_NODES];
	struct span place = source_span(hosts->source, 0, 0);
	int64_t count = (int64_t)hosts->list.count;

	if (b->nodes > count) {
		struct finding *finding = finding_add(b->findings, &rule_hosts_too_few, place,
						      "the file names %" PRId64
						      " host%s, but the job has %" PRId64 " nodes",
						      count, count == 1 ? "" : "s", b->nodes);
		finding_relate(b->findings, finding, nodes->span, "nodes=%" PRId64, b->nodes);
		return;
	}
	finding_add(b->findings, &rule_hosts_too_few, place,
		    "the %s%" PRId64 " host%s of the file have %" PRId64
		    " slots, no place for %" PRId64 " ranks",
		    b->nodes && b->nodes < count ? "first " : "", b->nodes ? b->nodes : count,
		    (b->nodes ? b->nodes : count) == 1 ? "" : "s", capacity, b->topology->world);
}

/*
 * The lines the job uses: cluster.nodes of them, else as many as the ranks fill; to deal ranks
 * out in turn, all. False when they cannot hold every rank.
 */
static bool choose_hosts(struct builder *b, const struct hosts *hosts)
{
	int64_t capacity = 0, world = b->topology->world;
	bool cyclic = b->topology->order == ORDER_CYCLIC;
	size_t i, most = hosts->list.count;

	if (b->nodes > 0 && b->nodes < (int64_t)most)
		most = (size_t)b->nodes;
	for (i = 0; i < most && (b->nodes || cyclic || capacity < world); i++) {
		const struct host *host = &hosts->list.items[i];
		if (!slots_of(b, host))
			return false; /* nobody knows how many ranks it runs */
		capacity += slots_of(b, host);
		vec_push(b->arena, &b->hosts, host);
	}
	report_slots(b, hosts);
	if (capacity >= world && b->nodes <= (int64_t)hosts->list.count)
		return true;
	report_too_few(b, hosts, capacity);
	return false;
}

/* cluster.devices: a node for each number. False when they cannot hold every rank. */
static bool choose_devices(struct builder *b)
{
	const struct setting *list = &b->settings->items[FIELD_CLUSTER_DEVICES];
	const struct node *item;
	int64_t capacity = 0;

	if (!setting_known(list) || !list->node || list->node->kind != NODE_LIST)
		return false;
	for (item = list->node->first; item; item = item->next) {
		struct host *host = arena_new(b->arena, struct host);
		if (item->kind != NODE_SCALAR || item->type != SCALAR_INT || item->integer < 1 ||
		    item->integer > HOST_SLOTS_MAX)
			return false;
		*host = (struct host) { "", item->integer, item->span };
		capacity += slots_of(b, host);
		vec_push(b->arena, &b->hosts, host);
	}
	return capacity >= b->topology->world;
}

static int by_name(const void *left, const void *right)
{
	const struct host *const *a = left, *const *b = right;

	return strcmp((*a)->name, (*b)->name);
}

static bool all_alike(const struct builder *b)
{
	size_t i;

	for (i = 1; i < b->hosts.count; i++)
		if (slots_of(b, b->hosts.items[i]) != slots_of(b, b->hosts.items[0]))
			return false;
	return true;
}

static void add_segments(struct builder *b)
{
	struct topology_table *table = b->topology->table;
	int64_t rank = 0;
	size_t i;

	for (i = 0; i < b->hosts.count; i++) {
		int64_t slots = slots_of(b, b->hosts.items[i]);
		struct segment *last = NULL;
		if (table->segments.count)
			last = &table->segments.items[table->segments.count - 1];
		if (last && last->slots == slots)
			last->count++;
		else
			vec_push(b->arena, &table->segments,
				 ((struct segment) { (int64_t)i, 1, rank, slots }));
		rank += slots;
		b->topology->most = slots > b->topology->most ? slots : b->topology->most;
	}
	b->topology->capacity = rank;
}

/* The next number of slots above `slots` that some host has, or 0. */
static int64_t next_slots(const struct builder *b, int64_t slots, int64_t *count)
{
	int64_t next = 0;
	size_t i;

	for (i = 0, *count = 0; i < b->hosts.count; i++) {
		int64_t own = slots_of(b, b->hosts.items[i]);
		if (own > slots && (!next || own < next))
			next = own;
		*count += own > slots;
	}
	return next;
}

enum { LEVELS_MOST = 8 };

static bool add_levels(struct builder *b)
{
	struct topology_table *table = b->topology->table;
	int64_t slot = 0, rank = 0, count, next;
	size_t i;

	while ((next = next_slots(b, slot, &count)) > 0) {
		struct level level = { slot, next - slot, rank, 0, NULL };
		if (table->levels.count == LEVELS_MOST)
			return false;
		level.nodes = arena_array(b->arena, (size_t)count, sizeof(*level.nodes));
		for (i = 0; i < b->hosts.count; i++)
			if (slots_of(b, b->hosts.items[i]) > slot)
				level.nodes[level.count++] = (int64_t)i;
		vec_push(b->arena, &table->levels, level);
		rank += level.rounds * level.count;
		slot = next;
	}
	return true;
}

static void report_levels(const struct builder *b)
{
	finding_add(b->findings, &rule_hosts_slots, b->hosts.items[0]->span,
		    "the hosts have more than %d different numbers of slots: ranks dealt out to "
		    "them in turn (cluster.rank_order: cyclic) are not followed, and their names "
		    "not used",
		    LEVELS_MOST);
}

/* Puts the chosen hosts in the order of ranks; false when they are too different to be dealt to. */
static bool order_hosts(struct builder *b)
{
	struct topology *topology = b->topology;

	if (topology->order == ORDER_C10D && *b->hosts.items[0]->name)
		qsort(b->hosts.items, b->hosts.count, sizeof(*b->hosts.items), by_name);
	topology->nodes = (int64_t)b->hosts.count;
	if (all_alike(b)) {
		topology->slots = topology->most = slots_of(b, b->hosts.items[0]);
		topology->capacity = topology->nodes * topology->slots;
		return true;
	}
	topology->slots = 0;
	topology->table = arena_new(b->arena, struct topology_table);
	add_segments(b);
	if (topology->order != ORDER_CYCLIC || add_levels(b))
		return true;
	report_levels(b);
	return false;
}

static bool number_nodes(struct builder *b)
{
	struct topology *topology = b->topology;
	int64_t needed;

	if (b->slots < 1 || b->slots > HOST_SLOTS_MAX)
		return false;
	needed = (topology->world + b->slots - 1) / b->slots;
	topology->nodes = b->nodes > needed ? b->nodes : needed;
	topology->slots = topology->most = b->slots;
	topology->capacity = multiply(topology->nodes, b->slots);
	return true;
}

/* A rack of 72 GPUs on one NVLink switch system, in nodes of mostly 4. */
static int64_t domain_nodes(const struct builder *b, const struct topology *topology)
{
	enum { NVL72 = 72 };

	int64_t gpus = b->gpus ? b->gpus : topology->slots;

	if (strcmp(setting_text(b->settings, FIELD_CLUSTER_FABRIC, ""), "nvl72") != 0 ||
	    !topology->slots || gpus > NVL72)
		return 1;
	return NVL72 / gpus;
}

static int64_t used_nodes(const struct topology *topology)
{
	if (topology->order != ORDER_CYCLIC)
		return topology_place(topology, topology->world - 1).node + 1;
	return topology->world < topology->nodes ? topology->world : topology->nodes;
}

/* Nodes of the file of hosts, else those of cluster.devices. */
static bool name_nodes(struct builder *b, const struct hosts *hosts)
{
	struct topology *topology = b->topology;

	if (hosts && choose_hosts(b, hosts) && order_hosts(b)) {
		topology->hosts = b->hosts.items;
		topology->assumed = false;
		return true;
	}
	b->hosts.count = 0;
	return !hosts && choose_devices(b) && order_hosts(b);
}

struct topology *topology_new(struct arena *arena, const struct settings *settings, int64_t world,
			      const struct hosts *hosts, struct findings *findings)
{
	struct topology *topology = arena_new(arena, struct topology);
	struct builder b = {
		.arena = arena, .settings = settings, .findings = findings, .topology = topology
	};

	if (world < 1)
		return NULL;
	read_settings(&b);
	topology->world = world;
	topology->order = order_of(settings);
	topology->assumed =
		!setting_known(&settings->items[FIELD_CLUSTER_RANK_ORDER]) &&
		!launcher_makes_blocks(setting_text(b.settings, FIELD_LAUNCH_LAUNCHER, ""));
	if (!name_nodes(&b, hosts)) {
		topology->table = NULL;
		if (!number_nodes(&b))
			return NULL;
	}
	topology->gpus = topology->capacity;
	if (b.gpus && topology->slots)
		topology->gpus = multiply(topology->nodes, b.gpus);
	topology->domain = domain_nodes(&b, topology);
	topology->used = used_nodes(topology);
	return topology;
}
