#include "plan/topology.h"

#include "base/text.h"
#include "plan/topology_table.h"

#include <inttypes.h>
#include <string.h>

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
	name += *name == ' ';
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
