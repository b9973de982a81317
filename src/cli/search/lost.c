#include "cli/search/lost.h"

#include "base/die.h"
#include "report/ranks/view.h"
#include "search/site.h"

#include <inttypes.h>
#include <string.h>

/* ---- the nodes that are gone ---- */

/* What a node is called: a line of the file of hosts, used or spare, or its number. */
static const char *node_called(struct arena *arena, const struct job *whole, const char *name)
{
	const struct topology *topology = whole->topology;
	const int64_t node = topology_find(topology, name);
	size_t i;

	for (i = 0; whole->hosts && i < whole->hosts->list.count; i++)
		if (!strcmp(whole->hosts->list.items[i].name, name))
			return name;
	if (node < 0 && topology->nodes == 1)
		die("search: --lost: there is no node '%s', only %s", name,
		    topology_name(arena, topology, 0));
	if (node < 0)
		die("search: --lost: there is no node '%s'; they are %s to %s", name,
		    topology_name(arena, topology, 0),
		    topology_name(arena, topology, topology->nodes - 1));
	return topology_name(arena, topology, node);
}

static void lose_node(const struct invocation *invocation, const char *name,
		      const struct job *whole, struct overrides *overrides, struct lost *lost)
{
	const char *known = node_called(invocation->arena, whole, name);
	size_t i;

	for (i = 0; i < lost->list.count; i++)
		if (!strcmp(lost->list.items[i], known))
			return;
	vec_push(invocation->arena, &lost->list, known);
	if (whole->hosts)
		vec_push(invocation->arena, &overrides->lost, known);
}

static void lose_nodes(const struct invocation *invocation, const char *words,
		       const struct job *whole, struct overrides *overrides, struct lost *lost)
{
	size_t length;

	for (;; words += length + 1) {
		length = strcspn(words, ",");
		lose_node(invocation, arena_strndup(invocation->arena, words, length), whole,
			  overrides, lost);
		if (!words[length])
			return;
	}
}

/* ---- what is left ---- */

/* Degrees are made of small factors: other numbers of nodes hardly ever take a batch. */
static bool is_smooth(int64_t number)
{
	static const int64_t factors[] = { 2, 3, 5, 7 };
	size_t i;

	for (i = 0; i < sizeof(factors) / sizeof(factors[0]); i++)
		while (number % factors[i] == 0)
			number /= factors[i];
	return number == 1;
}

/* Half of the nodes are always fewer than need be: a degree that is halved has room on more. */
static void add_worlds(const struct invocation *invocation, const struct topology *topology,
		       int64_t left, struct sites_request *sites)
{
	const int64_t each = topology->most < topology->world ? topology->most : topology->world;
	int64_t nodes;

	for (nodes = left; nodes >= 1 && 2 * nodes >= left; nodes--)
		if (left == topology->nodes ? nodes == left : nodes == left || is_smooth(nodes))
			vec_push(invocation->arena, &sites->worlds, nodes * each);
}

void search_lose(const struct invocation *invocation, const struct texts *words,
		 const struct job *whole, struct search *search, struct sites_request *sites)
{
	const struct topology *topology = whole->topology;
	struct overrides *overrides = overrides_copy(invocation->arena, sites->overrides);
	int64_t left;
	size_t i;

	if (sites->worlds.count && !invocation->operands.count && !invocation->operands.rest_count)
		die("search: --lost is of a config's nodes: without a file, --gpus N says how many "
		    "devices are left");
	if (sites->worlds.count)
		die("search: --lost says how many devices are left: leave out --gpus");
	if (!topology)
		die("search: --lost: which ranks a node has is not known (cluster.gpus_per_node, "
		    "--hosts FILE)");
	overrides->world_by = "--lost";
	sites->overrides = overrides;
	for (i = 0; i < words->count; i++)
		lose_nodes(invocation, words->items[i], whole, overrides, &search->lost);
	left = whole->hosts ? (int64_t)whole->hosts->list.count : topology->nodes;
	left -= (int64_t)search->lost.list.count;
	if (left > topology->nodes)
		left = topology->nodes;
	if (left < 1)
		die("search: --lost: no node is left");
	search->lost.left = left;
	sites->kept = site_batch(whole);
	add_worlds(invocation, topology, left, sites);
}

/* ---- nodes that are not alike ---- */

static void refuse_uneven(struct arena *arena, const struct topology *topology)
{
	const int64_t first = topology_ranks(topology, 0);
	int64_t node = 1;

	while (node < topology->nodes - 1 && topology_ranks(topology, node) == first)
		node++;
	die("search: nodes differ: %s has %" PRId64 " devices, %s has %" PRId64
	    ". A search takes nodes that are alike: leave the others out of the file of hosts, or "
	    "give --lost",
	    topology_name(arena, topology, 0), first, topology_name(arena, topology, node),
	    topology_ranks(topology, node));
}

void search_refuse_nodes(const struct invocation *invocation, const struct space *space)
{
	size_t i;

	for (i = 0; i < space->sites.count; i++) {
		const struct job *job = &space->sites.items[i]->job;
		const struct ranks_view view = { .arena = invocation->arena, .job = job };
		if (job->topology && job->topology->table)
			refuse_uneven(invocation->arena, job->topology);
		if (job->hosts && job->topology && !job->topology->hosts)
			die("search: %s", ranks_hosts_trouble(&view)
						  ? ranks_hosts_trouble(&view)
						  : "the file of hosts is not used");
	}
}
