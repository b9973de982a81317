#include "search/space.h"

#include <string.h>

static void add_layouts(struct space *space, struct arena *scratch, struct candidate *candidate,
			enum axis axis)
{
	struct axis_values values = { 0 };
	size_t i;

	if (axis == AXIS_MICRO) {
		vec_push(space->arena, &space->layouts, *candidate);
		return;
	}
	space_values(space, candidate, axis, scratch, &values);
	for (i = 0; i < values.list.count; i++) {
		candidate->at[axis] = values.list.items[i];
		add_layouts(space, scratch, candidate, axis + 1);
	}
	candidate->at[axis] = 0;
}

void space_leaves(const struct space *space, const struct candidate *layout, struct arena *arena,
		  struct leaves *leaves)
{
	leaves->micro.list.count = leaves->recompute.list.count = 0;
	space_values(space, layout, AXIS_MICRO, arena, &leaves->micro);
	space_values(space, layout, AXIS_RECOMPUTE, arena, &leaves->recompute);
}

static bool same(const struct candidate *a, const struct candidate *b, enum axis axes)
{
	return !memcmp(a->at, b->at, (size_t)axes * sizeof(a->at[0]));
}

static void find_regions(struct space *space)
{
	const struct candidate *layouts = space->layouts.items;
	struct region region = { 0 };

	while (region.end < space->layouts.count) {
		region.first = region.end;
		while (++region.end < space->layouts.count &&
		       same(&layouts[region.first], &layouts[region.end], AXIS_ETP + 1))
			;
		vec_push(space->arena, &space->regions, region);
	}
}

void space_fill(struct space *space)
{
	struct candidate candidate = { 0 };
	struct leaves leaves = { 0 };
	struct arena scratch;
	uint64_t count = 0;
	size_t i;

	arena_init(&scratch);
	add_layouts(space, &scratch, &candidate, AXIS_SITE);
	for (i = 0; i < space->layouts.count; i++) {
		vec_push(space->arena, &space->first, count);
		space_leaves(space, &space->layouts.items[i], &scratch, &leaves);
		count += leaves.micro.list.count * leaves.recompute.list.count;
		space->uneven += !leaves.micro.list.count;
	}
	arena_release(&scratch);
	vec_push(space->arena, &space->first, count);
	find_regions(space);
}

uint64_t space_count(const struct space *space)
{
	return space->first.items[space->layouts.count];
}

/* The layout that a candidate belongs to. */
static size_t layout_of(const struct space *space, uint64_t number)
{
	size_t low = 0, high = space->layouts.count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (space->first.items[middle] <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct candidate space_candidate(const struct space *space, uint64_t number)
{
	const size_t layout = layout_of(space, number);
	struct candidate candidate = space->layouts.items[layout];
	const uint64_t leaf = number - space->first.items[layout];
	struct leaves leaves = { 0 };
	struct arena scratch;

	arena_init(&scratch);
	space_leaves(space, &candidate, &scratch, &leaves);
	candidate.at[AXIS_MICRO] = leaves.micro.list.items[leaf / leaves.recompute.list.count];
	candidate.at[AXIS_RECOMPUTE] =
		leaves.recompute.list.items[leaf % leaves.recompute.list.count];
	arena_release(&scratch);
	return candidate;
}

bool space_find(const struct space *space, const struct candidate *candidate, uint64_t *number)
{
	size_t i;
	uint64_t k;

	for (i = 0; i < space->layouts.count; i++)
		if (same(&space->layouts.items[i], candidate, AXIS_MICRO))
			break;
	if (i == space->layouts.count)
		return false;
	for (k = space->first.items[i]; k < space->first.items[i + 1]; k++) {
		struct candidate other = space_candidate(space, k);
		*number = k;
		if (same(&other, candidate, AXES))
			return true;
	}
	return false;
}
