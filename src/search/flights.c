#include "search/flights.h"

#include <string.h>

struct entry {
	const struct schedule *schedule;
	struct pipeline_shape shape;
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
struct rank {
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

static void end_backward(struct rank *rank, int32_t stage)
{
	const int64_t done = ++rank->backwards[stage];

	rank->in_flight--;
	rank->waiting += (done == 1) - (done == rank->batches);
	if (rank->waiting == rank->stages)
		keep_most(&rank->flights.after, rank->in_flight);
}

static void pass(struct rank *rank, const struct action *action)
{
	if (action->kind == ACTION_FORWARD) {
		rank->in_flight++;
		return;
	}
	if (action->kind != ACTION_WEIGHT)
		keep_most(&rank->flights.most, rank->in_flight);
	if (action->kind != ACTION_WEIGHT && rank->waiting == rank->stages)
		keep_most(&rank->flights.waiting, rank->in_flight);
	if (action->kind != ACTION_INPUT)
		end_backward(rank, action->stage);
}

static struct flights count(const struct schedule *schedule, const struct pipeline_shape *shape)
{
	struct rank rank = { .batches = shape->microbatches,
			     .stages = shape->per_rank,
			     .flights = { 0, -1, -1 } };
	struct actions actions = { 0 };
	struct arena scratch;
	size_t i;

	arena_init(&scratch);
	rank.backwards = arena_array(&scratch, (size_t)(shape->ranks * shape->per_rank),
				     sizeof(*rank.backwards));
	schedule->order(&scratch, shape, 0, &actions);
	for (i = 0; i < actions.list.count; i++)
		pass(&rank, &actions.list.items[i]);
	arena_release(&scratch);
	return rank.flights;
}

static bool same_shape(const struct pipeline_shape *a, const struct pipeline_shape *b)
{
	return a->ranks == b->ranks && a->per_rank == b->per_rank &&
	       a->microbatches == b->microbatches && a->group == b->group;
}

const struct flights *flights_of(struct all_flights *known, const struct schedule *schedule,
				 const struct pipeline_shape *shape)
{
	const uint64_t mixed = (uint64_t)shape->microbatches * 31 + (uint64_t)shape->per_rank;
	struct room *room = &known->rooms[(mixed * 31 + (uint64_t)shape->ranks) % ROOMS];
	struct entry *entry;
	size_t i;

	for (i = 0; i < room->entries.count; i++) {
		entry = room->entries.items[i];
		if (entry->schedule == schedule && same_shape(&entry->shape, shape))
			return &entry->flights;
	}
	entry = arena_new(known->arena, struct entry);
	*entry = (struct entry) { schedule, *shape, count(schedule, shape) };
	vec_push(known->arena, &room->entries, entry);
	return &entry->flights;
}
