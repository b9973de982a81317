#include "search/flights.h"

#include <string.h>

struct entry {
	const struct schedule *schedule;
	struct pipeline_shape shape;
	int64_t rank;
	struct flights flights;
};

/* By the first of what they differ in; some thousands at most. */
enum { ROOMS = 1024 };

struct all_flights {
	struct arena *arena;
	struct room {
		VEC(struct entry *) entries;
	} rooms[ROOMS];
};

struct all_flights *flights_new(struct arena *arena)
{
	struct all_flights *known = arena_new(arena, struct all_flights);

	known->arena = arena;
	return known;
}

/* A rank that makes its passes in order. */
struct course {
	int64_t *backwards; /* of each stage */
	int64_t batches, in_flight;
	int64_t waiting, stages; /* stages of whose gradients some are there and some are not */
	struct flights flights;
};

static void keep_most(int64_t *most, int64_t value)
{
	if (value > *most)
		*most = value;
}

static void end_backward(struct course *course, int32_t stage)
{
	const int64_t done = ++course->backwards[stage];

	course->in_flight--;
	course->waiting += (done == 1) - (done == course->batches);
	if (course->waiting == course->stages)
		keep_most(&course->flights.after, course->in_flight);
}

static void pass(struct course *course, const struct action *action)
{
	if (action->kind == ACTION_FORWARD) {
		course->in_flight++;
		return;
	}
	if (action->kind != ACTION_WEIGHT)
		keep_most(&course->flights.most, course->in_flight);
	if (action->kind != ACTION_WEIGHT && course->waiting == course->stages)
		keep_most(&course->flights.waiting, course->in_flight);
	if (action->kind != ACTION_INPUT)
		end_backward(course, action->stage);
}

static struct flights count(const struct schedule *schedule, const struct pipeline_shape *shape,
			    int64_t rank)
{
	struct course course = { .batches = shape->microbatches,
				 .stages = shape->per_rank,
				 .flights = { 0, -1, -1 } };
	struct actions actions = { 0 };
	struct arena scratch;
	size_t i;

	arena_init(&scratch);
	course.backwards = arena_array(&scratch, (size_t)(shape->ranks * shape->per_rank),
				       sizeof(*course.backwards));
	schedule->order(&scratch, shape, rank, &actions);
	for (i = 0; i < actions.list.count; i++)
		pass(&course, &actions.list.items[i]);
	arena_release(&scratch);
	return course.flights;
}

static bool same_shape(const struct pipeline_shape *a, const struct pipeline_shape *b)
{
	return a->ranks == b->ranks && a->per_rank == b->per_rank &&
	       a->microbatches == b->microbatches && a->group == b->group;
}

const struct flights *flights_of(struct all_flights *known, const struct schedule *schedule,
				 const struct pipeline_shape *shape, int64_t rank)
{
	const uint64_t mixed =
		(uint64_t)shape->microbatches * 31 + (uint64_t)(2 * shape->per_rank + rank);
	struct room *room = &known->rooms[(mixed * 31 + (uint64_t)shape->ranks) % ROOMS];
	struct entry *entry;
	size_t i;

	for (i = 0; i < room->entries.count; i++) {
		entry = room->entries.items[i];
		if (entry->schedule == schedule && entry->rank == rank &&
		    same_shape(&entry->shape, shape))
			return &entry->flights;
	}
	entry = arena_new(known->arena, struct entry);
	*entry = (struct entry) { schedule, *shape, rank, count(schedule, shape, rank) };
	vec_push(known->arena, &room->entries, entry);
	return &entry->flights;
}
