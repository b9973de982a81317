#include "plan/topology.h"

#include <string.h>

/*
 * How groups lie over nodes, by arithmetic. In blocks of B ranks the nodes that a group touches
 * depend on its first rank modulo B only, so a table of B numbers stands for all groups. Dealt
 * out in turn, all groups of a layout touch equally many nodes, so one stands for all. What is
 * left (hosts of different sizes, racks under cyclic order) is counted group by group.
 */
enum { COUNTED_MOST = 1 << 24 };

/* What a group of the inner modes touches, by its first rank modulo the block. */
struct pattern {
	int64_t block, extent;
	int64_t *count, *next; /* by residue */
	int64_t *groups;       /* how many groups of the layout begin there */
};

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* How often step `i` of a period comes up among `n` steps. */
static int64_t times(int64_t n, int64_t period, int64_t i)
{
	return n / period + (i < n % period);
}

/* Blocks touched by `size` copies of the pattern, `stride` apart, the first one at `residue`. */
static int64_t repeat(const struct pattern *p, int64_t size, int64_t stride, int64_t residue)
{
	int64_t period = p->block / gcd(p->block, stride % p->block), sum = 0, i;

	for (i = 0; i < period && i < size; i++) {
		int64_t at = (residue + i * (stride % p->block)) % p->block;
		bool shared = (at + p->extent - 1) / p->block == (at + stride) / p->block;
		sum += p->count[at] * times(size, period, i);
		/* The next copy begins in the block where this one ends. */
		sum -= shared ? times(size - 1, period, i) : 0;
	}
	return sum;
}

/* Moves the beginnings of groups on by every step of one mode. */
static void spread(struct pattern *p, int64_t size, int64_t stride)
{
	int64_t period = p->block / gcd(p->block, stride % p->block), residue, i;

	memset(p->next, 0, (size_t)p->block * sizeof(*p->next));
	for (residue = 0; residue < p->block; residue++)
		for (i = 0; p->groups[residue] && i < period && i < size; i++)
			p->next[(residue + i * (stride % p->block)) % p->block] +=
				p->groups[residue] * times(size, period, i);
	memcpy(p->groups, p->next, (size_t)p->block * sizeof(*p->next));
}

static void widen(struct pattern *p, int64_t size, int64_t stride)
{
	int64_t residue;

	for (residue = 0; residue < p->block; residue++)
		p->next[residue] = repeat(p, size, stride, residue);
	memcpy(p->count, p->next, (size_t)p->block * sizeof(*p->next));
	p->extent += (size - 1) * stride;
}

/* What is counted: the fewest and the most blocks of a group, and groups inside one block. */
struct tally {
	int64_t min, max, inside;
};

static void add(struct tally *tally, int64_t touched, int64_t groups)
{
	if (!groups)
		return;
	tally->min = tally->min && tally->min < touched ? tally->min : touched;
	tally->max = tally->max > touched ? tally->max : touched;
	tally->inside += touched == 1 ? groups : 0;
}

/* Blocks of `block` consecutive ranks. */
static struct tally tally_blocks(const struct layout *layout, const struct layout *starts,
				 int64_t block)
{
	struct tally tally = { 0 };
	struct pattern p = { .block = block, .extent = 1 };
	struct arena arena;
	int64_t residue;
	int i;

	arena_init(&arena);
	p.count = arena_array(&arena, (size_t)block, sizeof(*p.count));
	p.next = arena_array(&arena, (size_t)block, sizeof(*p.next));
	p.groups = arena_array(&arena, (size_t)block, sizeof(*p.groups));
	for (residue = 0; residue < block; residue++)
		p.count[residue] = 1;
	p.groups[0] = 1;
	for (i = layout->modes - 1; i >= 0; i--)
		widen(&p, layout->size[i], layout->stride[i]);
	for (i = 0; i < starts->modes; i++)
		spread(&p, starts->size[i], starts->stride[i]);
	for (residue = 0; residue < block; residue++)
		add(&tally, p.count[residue], p.groups[residue]);
	arena_release(&arena);
	return tally;
}

/* Blocks of one world, counted through which node each rank is on. */
static struct tally tally_ranks(const struct topology *topology, const struct layout *layout,
				const struct layout *starts, int64_t groups, int64_t domain)
{
	int64_t size = layout_size(layout), g, i;
	struct tally tally = { 0 };
	struct arena arena;
	uint32_t *seen; /* by node: one more than the last group that touched it */

	arena_init(&arena);
	seen = arena_array(&arena, (size_t)(topology->used / domain + 1), sizeof(*seen));
	for (g = 0; g < groups; g++) {
		int64_t base = layout_offset(starts, g), touched = 0;
		for (i = 0; i < size; i++) {
			int64_t rank = base + layout_offset(layout, i);
			int64_t at = topology_place(topology, rank).node / domain;
			touched += seen[at] != (uint32_t)g + 1;
			seen[at] = (uint32_t)g + 1;
		}
		add(&tally, touched, 1);
	}
	arena_release(&arena);
	return tally;
}

/* True when `boundary` falls between steps of the mode, or divides it evenly. */
static bool divides(int64_t size, int64_t stride, int64_t boundary)
{
	if (boundary <= stride)
		return stride % boundary == 0;
	if (boundary >= size * stride)
		return boundary % (size * stride) == 0;
	return boundary % stride == 0 && size * stride % boundary == 0;
}

/*
 * Values that the digits of a rank between `low` and `high` take within one group, when both fall
 * between the digits; 0 when they do not.
 */
static int64_t digits(const struct layout *layout, int64_t low, int64_t high)
{
	int64_t product = 1;
	int i;

	for (i = 0; i < layout->modes; i++) {
		int64_t size = layout->size[i], stride = layout->stride[i];
		int64_t from = stride > low ? stride : low;
		int64_t to = size * stride < high ? size * stride : high;
		if (!divides(size, stride, low) || !divides(size, stride, high))
			return 0;
		product *= to > from ? to / from : 1;
	}
	return product;
}

/* Groups of equal numbers of nodes: dealing out does not care where a group begins. */
static bool tally_dealt(const struct topology *topology, const struct layout *layout,
			const struct layout *starts, int64_t groups, int64_t domain,
			struct tally *tally)
{
	int64_t low = domain, high = topology->nodes;
	int64_t touched = high <= low ? 1 : digits(layout, low, high);
	bool fits = high % low == 0 && (low == 1 || digits(starts, low, high));

	*tally = (struct tally) { 0 };
	if (high <= low || (touched && fits)) {
		add(tally, touched, groups);
		return true;
	}
	if (topology->world > COUNTED_MOST)
		return false;
	*tally = tally_ranks(topology, layout, starts, low == 1 ? 1 : groups, low);
	if (low == 1)
		tally->inside *= groups;
	return true;
}

static bool tally_of(const struct topology *topology, const struct layout *layout,
		     const struct layout *starts, int64_t groups, int64_t domain,
		     struct tally *tally)
{
	if (topology->slots && topology->order == ORDER_CYCLIC)
		return tally_dealt(topology, layout, starts, groups, domain, tally);
	if (topology->slots) {
		*tally = tally_blocks(layout, starts, topology->slots * domain);
		return true;
	}
	if (topology->world > COUNTED_MOST)
		return false;
	*tally = tally_ranks(topology, layout, starts, groups, domain);
	return true;
}

static enum within answer(bool inside, bool assumed)
{
	if (!inside)
		return WITHIN_NO;
	return assumed ? WITHIN_ASSUMED : WITHIN_YES;
}

bool topology_spans(const struct topology *topology, const struct layout *layout,
		    struct spans *spans)
{
	struct layout set = layout_canonical(layout), starts;
	struct tally nodes, domains;

	memset(spans, 0, sizeof(*spans));
	if (!layout_complement(&set, topology->world, &starts))
		return false;
	spans->members = layout_size(&set);
	spans->groups = layout_size(&starts);
	if (!tally_of(topology, &set, &starts, spans->groups, 1, &nodes))
		return false;
	domains = nodes;
	if (topology->domain > 1 &&
	    !tally_of(topology, &set, &starts, spans->groups, topology->domain, &domains))
		return false;
	spans->nodes_min = nodes.min;
	spans->nodes_max = nodes.max;
	spans->inside = nodes.inside;
	spans->domains_min = domains.min;
	spans->domains_max = domains.max;
	spans->assumed = topology->assumed && topology->used > 1 && spans->members > 1 &&
			 spans->members <= topology->most;
	spans->node = answer(nodes.max == 1, spans->assumed);
	spans->domain = spans->node != WITHIN_NO ? spans->node
						 : answer(domains.max == 1, topology->domain > 1);
	return true;
}
