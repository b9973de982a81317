#include "plan/meeting.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

/* Which old parts of a dim each new part overlaps: both are cut in rising order. */
static void meet_dim(struct meeting *meeting, struct arena *arena, int dim)
{
	const struct spread *old = meeting->old, *new = meeting->new;
	int64_t parts = new->parts[dim], part, first = 0, last;
	int32_t *lows = arena_array(arena, (size_t)parts, sizeof(*lows));
	int32_t *highs = arena_array(arena, (size_t)parts, sizeof(*highs));

	for (part = 0; part < parts; part++) {
		while (old->at[dim][first + 1] <= new->at[dim][part])
			first++;
		for (last = first; old->at[dim][last + 1] < new->at[dim][part + 1]; last++)
			;
		lows[part] = (int32_t)first;
		highs[part] = (int32_t)last;
		first = last;
	}
	meeting->first[dim] = lows;
	meeting->last[dim] = highs;
}

/* Where a box of a list starts in the first dim. */
struct start {
	int64_t offset;
	int32_t box;
};

static int by_start(const void *a, const void *b)
{
	const struct start *left = a, *right = b;

	if (left->offset != right->offset)
		return left->offset < right->offset ? -1 : 1;
	return (left->box > right->box) - (left->box < right->box);
}

static struct start *sort_starts(struct arena *arena, const struct spread *old, int64_t *longest)
{
	struct start *starts = arena_array(arena, (size_t)old->boxes, sizeof(*starts));
	int64_t i;

	*longest = 0;
	for (i = 0; i < old->boxes; i++) {
		starts[i].offset = old->list[i].offset[0];
		starts[i].box = (int32_t)i;
		if (old->list[i].shape[0] > *longest)
			*longest = old->list[i].shape[0];
	}
	qsort(starts, (size_t)old->boxes, sizeof(*starts), by_start);
	return starts;
}

/* The first of the sorted starts that lies beyond `offset`. */
static int64_t first_beyond(const struct start *starts, int64_t count, int64_t offset)
{
	int64_t low = 0, high = count;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		if (starts[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int by_number(const void *a, const void *b)
{
	int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;

	return (left > right) - (left < right);
}

/* Overlaps of one tensor; chunks that overlap each other would make them square. */
enum { LISTED = 1 << 24 };

/* Only boxes that start less than the longest before a new one, or inside it, can overlap it. */
static void meet_list(struct meeting *meeting, struct arena *arena)
{
	const struct spread *old = meeting->old, *new = meeting->new;
	VEC(int32_t) met = { 0 };
	int64_t i, j, longest;
	struct start *starts = sort_starts(arena, old, &longest);

	meeting->start = arena_array(arena, (size_t) new->boxes + 1, sizeof(*meeting->start));
	for (i = 0; i < new->boxes; i++) {
		struct box box = spread_box(new, i);
		size_t before = met.count;
		meeting->start[i] = (int32_t)before;
		for (j = first_beyond(starts, old->boxes, box.offset[0] - longest);
		     j < old->boxes && starts[j].offset < box.offset[0] + box.shape[0]; j++)
			if (box_overlap(&box, &old->list[starts[j].box]) && met.count < LISTED)
				vec_push(arena, &met, starts[j].box);
		if (met.count > before)
			qsort(met.items + before, met.count - before, sizeof(*met.items),
			      by_number);
	}
	meeting->start[i] = (int32_t)met.count;
	meeting->met = met.items;
	meeting->cut_off = met.count == LISTED;
}

void meeting_init(struct meeting *meeting, struct arena *arena, const struct spread *old,
		  const struct spread *new)
{
	int dim;

	memset(meeting, 0, sizeof(*meeting));
	meeting->old = old;
	meeting->new = new;
	if (old->list)
		meet_list(meeting, arena);
	for (dim = 0; !old->list && dim < new->dims; dim++)
		meet_dim(meeting, arena, dim);
}

struct overlap meeting_overlap(const struct meeting *meeting, int64_t new_box)
{
	const struct spread *old = meeting->old, *new = meeting->new;
	struct overlap overlap = { 1, 1, 1 };
	int64_t i;
	int dim;

	if (old->list) {
		struct box box = spread_box(new, new_box);
		overlap.needed = box_volume(&box);
		overlap.boxes = meeting->start[new_box + 1] - meeting->start[new_box];
		overlap.read = 0;
		for (i = meeting->start[new_box]; i < meeting->start[new_box + 1]; i++)
			overlap.read = add(overlap.read, box_volume(&old->list[meeting->met[i]]));
		return overlap;
	}
	for (dim = new->dims - 1; dim >= 0; dim--) {
		int64_t part = new_box % new->parts[dim];
		int32_t first = meeting->first[dim][part], last = meeting->last[dim][part];
		new_box /= new->parts[dim];
		overlap.needed =
			multiply(overlap.needed, new->at[dim][part + 1] - new->at[dim][part]);
		overlap.read = multiply(overlap.read, old->at[dim][last + 1] - old->at[dim][first]);
		overlap.boxes *= last - first + 1;
	}
	return overlap;
}

void walk_begin(struct walk *walk, const struct meeting *meeting, int64_t new_box)
{
	int dim;

	memset(walk, 0, sizeof(*walk));
	walk->meeting = meeting;
	if (meeting->old->list) {
		walk->at = meeting->start[new_box];
		walk->end = meeting->start[new_box + 1];
		return;
	}
	for (dim = meeting->new->dims - 1; dim >= 0; dim--) {
		int64_t part = new_box % meeting->new->parts[dim];
		new_box /= meeting->new->parts[dim];
		walk->part[dim] = walk->first[dim] = meeting->first[dim][part];
		walk->last[dim] = meeting->last[dim][part];
	}
}

/* Moves to the next cell of the range, the last dim fastest. */
static void step(struct walk *walk)
{
	int dim;

	for (dim = walk->meeting->old->dims - 1; dim >= 0; dim--) {
		if (walk->part[dim]++ < walk->last[dim])
			return;
		walk->part[dim] = walk->first[dim];
	}
	walk->over = true;
}

int64_t walk_next(struct walk *walk)
{
	const struct spread *old = walk->meeting->old;
	int64_t number = 0;
	int dim;

	if (old->list)
		return walk->at < walk->end ? walk->meeting->met[walk->at++] : -1;
	if (walk->over)
		return -1;
	for (dim = 0; dim < old->dims; dim++)
		number = number * old->parts[dim] + walk->part[dim];
	step(walk);
	return number;
}
