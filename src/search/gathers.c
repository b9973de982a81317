#include "search/gathers.h"

#include "base/vec.h"
#include "sim/call.h"

struct entry {
	int64_t site, ranks;
	double elements, seconds;
};

struct gathers {
	struct arena *arena;
	VEC(struct entry) entries;
};

struct gathers *gathers_new(struct arena *arena)
{
	struct gathers *known = arena_new(arena, struct gathers);

	known->arena = arena;
	return known;
}

static double cost_of(const struct profile *profile, const struct workload *work, double elements)
{
	const struct call call = call_gather(work, DENSE, elements, true);

	return call.group->ranks < 2 || call.bytes <= 0 ? 0 : call_seconds(work, profile, &call);
}

double gathers_seconds(struct gathers *known, const struct profile *profile,
		       const struct workload *work, int64_t site, double elements, double blocks)
{
	const int64_t ranks = work->data[DENSE].ranks;
	struct entry entry = { .site = site, .ranks = ranks, .elements = elements };
	size_t i;

	for (i = 0; i < known->entries.count; i++) {
		const struct entry *other = &known->entries.items[i];
		if (other->site == site && other->ranks == ranks && other->elements >= elements &&
		    other->elements <= elements)
			return other->seconds / blocks;
	}
	entry.seconds = cost_of(profile, work, elements);
	vec_push(known->arena, &known->entries, entry);
	return entry.seconds / blocks;
}
