#include "plan/topology.h"

#include "base/number.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct rule_id rule_hosts_too_few = {
	.name = "hosts-too-few",
	.code = "G104",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_READ,
	.summary = "the file of hosts has no place for every rank",
	.explanation =
		"Every rank needs a slot on a host. A file with fewer hosts than cluster.nodes, or "
		"with fewer slots than the world has ranks, is of another job. Launchers refuse it "
		"(mpirun) or start a smaller world. Without places for all ranks the names are "
		"not used.",
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
		"A slot is a place for one rank, and a rank has one GPU. When the file says other "
		"slots than the config says GPUs, one of them is of another machine, or the file "
		"counts CPU cores. The smaller number is the one that ranks can use.",
	.remedy = "Write the number of GPUs into the file of hosts, or correct the cluster.",
	.source = "deepspeedai/DeepSpeed deepspeed/launcher/runner.py _parse_hostfile",
};

/* Nodes first to first + count - 1 hold ranks from `rank` on, `slots` each (block order). */
struct segment {
	int64_t node, count, rank, slots;
};

/*
 * Rounds of dealing in which the same nodes still have a free slot (cyclic order): `rounds`
 * rounds from slot `slot` on, ranks from `rank` on, one for each node of the list.
 */
struct level {
	int64_t slot, rounds, rank, count;
	int64_t *nodes; /* ascending */
};

struct topology_table {
	VEC(struct segment) segments;
	VEC(struct level) levels;
};

/* ---- places ---- */

static const struct segment *segment_of_rank(const struct topology *topology, int64_t rank)
{
	const struct segment *items = topology->table->segments.items;
	size_t low = 0, high = topology->table->segments.count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (items[middle].rank <= rank)
			low = middle;
		else
			high = middle;
	}
	return &items[low];
}

static const struct segment *segment_of_node(const struct topology *topology, int64_t node)
{
	const struct segment *items = topology->table->segments.items;
	size_t low = 0, high = topology->table->segments.count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (items[middle].node <= node)
			low = middle;
		else
			high = middle;
	}
	return &items[low];
}

static struct place cyclic_place(const struct topology *topology, int64_t rank)
{
	const struct level *level = topology->table->levels.items;

	while (rank - level->rank >= level->rounds * level->count)
		level++;
	rank -= level->rank;
	return (struct place) { level->nodes[rank % level->count],
				level->slot + rank / level->count };
}

struct place topology_place(const struct topology *topology, int64_t rank)
{
	const struct segment *segment;

	if (topology->slots && topology->order == ORDER_CYCLIC)
		return (struct place) { rank % topology->nodes, rank / topology->nodes };
	if (topology->slots)
		return (struct place) { rank / topology->slots, rank % topology->slots };
	if (topology->order == ORDER_CYCLIC)
		return cyclic_place(topology, rank);
	segment = segment_of_rank(topology, rank);
	rank -= segment->rank;
	return (struct place) { segment->node + rank / segment->slots, rank % segment->slots };
}

/* Where a node stands in a level's list, or -1. */
static int64_t index_in(const struct level *level, int64_t node)
{
	int64_t low = 0, high = level->count;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		if (level->nodes[middle] == node)
			return middle;
		if (level->nodes[middle] < node)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

static int64_t cyclic_rank(const struct topology *topology, int64_t node, int64_t slot)
{
	const struct level *level = topology->table->levels.items;
	const struct level *end = level + topology->table->levels.count;
	int64_t index;

	while (level < end && slot >= level->slot + level->rounds)
		level++;
	index = level < end ? index_in(level, node) : -1;
	return index < 0 ? -1 : level->rank + (slot - level->slot) * level->count + index;
}

static int64_t slots_of_node(const struct topology *topology, int64_t node)
{
	return topology->slots ? topology->slots : segment_of_node(topology, node)->slots;
}

int64_t topology_rank(const struct topology *topology, int64_t node, int64_t slot)
{
	const struct segment *segment;
	int64_t rank;

	if (node < 0 || node >= topology->nodes || slot < 0 ||
	    slot >= slots_of_node(topology, node))
		return -1;
	if (topology->slots && topology->order == ORDER_CYCLIC) {
		rank = slot * topology->nodes + node;
	} else if (topology->slots) {
		rank = node * topology->slots + slot;
	} else if (topology->order == ORDER_CYCLIC) {
		rank = cyclic_rank(topology, node, slot);
	} else {
		segment = segment_of_node(topology, node);
		rank = segment->rank + (node - segment->node) * segment->slots + slot;
	}
	return rank < topology->world ? rank : -1;
}

int64_t topology_ranks(const struct topology *topology, int64_t node)
{
	int64_t low = 0, high = slots_of_node(topology, node);

	/* Slots are taken from the first one on, whatever the order. */
	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		if (topology_rank(topology, node, middle) < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* ---- names ---- */

const char *topology_name(struct arena *arena, const struct topology *topology, int64_t node)
{
	if (topology->hosts)
		return topology->hosts[node]->name;
	return arena_printf(arena, "node %" PRId64, node);
}

/* True when both are one name, or one is the other without its domain. */
static bool same_host(const char *left, const char *right)
{
	size_t length = strcspn(left, ".");

	if (!strcmp(left, right))
		return true;
	return !strncmp(left, right, length) && strcspn(right, ".") == length &&
	       (!left[length] || !right[length]);
}

int64_t topology_find(const struct topology *topology, const char *name)
{
	int64_t node;

	for (node = 0; topology->hosts && node < topology->nodes; node++)
		if (same_host(topology->hosts[node]->name, name))
			return node;
	if (topology->hosts)
		return -1;
	if (text_starts(name, "node"))
		name += strlen("node");
	if (!text_to_int(name, &node) || node < 0 || node >= topology->nodes)
		return -1;
	return node;
}

const char *topology_order(const struct topology *topology)
{
	if (topology->assumed)
		return "block ranks assumed";
	if (topology->order == ORDER_CYCLIC)
		return "cyclic ranks";
	return topology->order == ORDER_C10D && topology->hosts ? "block ranks, nodes by name"
								: "block ranks";
}

const char *within_name(enum within within)
{
	static const char *const names[] = {
		[WITHIN_NO] = "no",
		[WITHIN_YES] = "yes",
		[WITHIN_ASSUMED] = "assumed",
	};

	return names[within];
}

/* ---- building ---- */

struct builder {
	struct arena *arena;
	const struct settings *settings;
	struct findings *findings;
	struct topology *topology;
	int64_t slots; /* cluster.gpus_per_node, or 0 */
	int64_t nodes; /* cluster.nodes, or 0 */
	VEC(const struct host *) hosts;
};

/* The ranks a host runs: no more than it has slots, nor than a node has GPUs. */
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

	for (i = 0; b->slots && i < hosts->list.count; i++) {
		const struct host *host = &hosts->list.items[i];
		if (host->slots > b->slots) {
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
			      first->slots, b->slots);
	finding_relate(b->findings, finding, b->settings->items[FIELD_CLUSTER_GPUS_PER_NODE].span,
		       "gpus_per_node=%" PRId64, b->slots);
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
		    "%" PRId64 " host%s with %" PRId64 " slots in all have no place for %" PRId64
		    " ranks",
		    b->nodes ? b->nodes : count, (b->nodes ? b->nodes : count) == 1 ? "" : "s",
		    capacity, b->topology->world);
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
		struct segment *last = table->segments.items + table->segments.count - 1;
		if (table->segments.count && last->slots == slots)
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

	if (topology->order == ORDER_C10D)
		qsort(b->hosts.items, b->hosts.count, sizeof(*b->hosts.items), by_name);
	topology->nodes = (int64_t)b->hosts.count;
	topology->hosts = b->hosts.items;
	topology->assumed = false;
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

static enum rank_order order_of(const struct settings *settings)
{
	const char *order = setting_text(settings, FIELD_CLUSTER_RANK_ORDER, "block");

	if (!strcmp(order, "cyclic"))
		return ORDER_CYCLIC;
	return strcmp(order, "torchrun-c10d") ? ORDER_BLOCK : ORDER_C10D;
}

/* A rack of 72 GPUs on one NVLink switch system, in nodes of mostly 4. */
static int64_t domain_nodes(const struct builder *b, const struct topology *topology)
{
	enum { NVL72 = 72 };

	if (strcmp(setting_text(b->settings, FIELD_CLUSTER_FABRIC, ""), "nvl72") != 0 ||
	    !topology->slots || topology->slots > NVL72)
		return 1;
	return NVL72 / topology->slots;
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
	b.slots = setting_int(settings, FIELD_CLUSTER_GPUS_PER_NODE, 0);
	b.nodes = setting_int(settings, FIELD_CLUSTER_NODES, 0);
	topology->world = world;
	topology->order = order_of(settings);
	topology->assumed = !setting_known(&settings->items[FIELD_CLUSTER_RANK_ORDER]);
	if (!(hosts && choose_hosts(&b, hosts) && order_hosts(&b))) {
		topology->hosts = NULL;
		topology->table = NULL;
		topology->assumed = !setting_known(&settings->items[FIELD_CLUSTER_RANK_ORDER]);
		if (!number_nodes(&b))
			return NULL;
	}
	topology->domain = domain_nodes(&b, topology);
	topology->used = topology->nodes;
	if (topology->order != ORDER_CYCLIC)
		topology->used = topology_place(topology, world - 1).node + 1;
	else if (world < topology->nodes)
		topology->used = world;
	return topology;
}
