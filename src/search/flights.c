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
	int64_t *backwards; /* that have ended, of each stage */
	bool *left;	    /* by a backward pass that was not its last one */
	int64_t batches, stages, last;
	int64_t waiting; /* stages of whose gradients some are there and some are not */
	struct moment now;
	struct flights flights;
};

/* Whether the one has all that the other has. */
static bool covers(const struct moment *one, const struct moment *other)
{
	int i;

	for (i = 0; i < 2; i++)
		if (one->forwards[i] < other->forwards[i] || one->inputs[i] < other->inputs[i] ||
		    one->left[i] < other->left[i] || one->begins[i] < other->begins[i])
			return false;
	return one->loss >= other->loss && one->waits >= other->waits;
}

/* More than there is room for are left out. */
static void note(struct course *course, struct moment moment)
{
	struct flights *flights = &course->flights;
	int i, kept = 0;

	moment.waits = course->waiting == course->stages;
	for (i = 0; i < flights->count; i++)
		if (covers(&flights->moments[i], &moment))
			return;
	for (i = 0; i < flights->count; i++)
		if (!covers(&moment, &flights->moments[i]))
			flights->moments[kept++] = flights->moments[i];
	flights->count = kept;
	flights->waits = flights->waits || moment.waits;
	if (kept < MOMENTS_MOST)
		flights->moments[flights->count++] = moment;
}

static bool is_end(const struct course *course, int32_t stage)
{
	return stage == 0 || stage == course->last;
}

static void begin(struct course *course, const struct action *action)
{
	struct moment moment = course->now;

	moment.loss = action->stage == course->last;
	moment.begins[is_end(course, action->stage)] = !moment.loss;
	note(course, moment);
}

static void leave(struct course *course, int32_t stage, bool left)
{
	course->now.left[is_end(course, stage)] += left - course->left[stage];
	course->left[stage] = left;
}

/* Gradients of weights are there. */
static bool end(struct course *course, int32_t stage)
{
	const int64_t done = ++course->backwards[stage];

	course->now.forwards[is_end(course, stage)]--;
	course->waiting += (done == 1) - (done == course->batches);
	return done < course->batches;
}

static void pass(struct course *course, const struct action *action)
{
	const int at = is_end(course, action->stage);
	bool left = true;

	if (action->kind == ACTION_BACKWARD || action->kind == ACTION_INPUT)
		begin(course, action);
	switch (action->kind) {
	case ACTION_FORWARD:
		course->now.forwards[at]++;
		left = false;
		break;
	case ACTION_INPUT:
		course->now.inputs[at]++;
		break;
	case ACTION_WEIGHT:
		course->now.inputs[at]--;
		left = end(course, action->stage) && course->left[action->stage];
		break;
	case ACTION_BACKWARD:
		left = end(course, action->stage);
		break;
	}
	course->flights.gathers[at] +=
		action->kind != ACTION_WEIGHT && !course->left[action->stage];
	leave(course, action->stage, left);
	note(course, course->now);
}

static struct flights count(const struct schedule *schedule, const struct pipeline_shape *shape,
			    int64_t rank)
{
	const int64_t stages = shape->ranks * shape->per_rank;
	struct course course = { .batches = shape->microbatches,
				 .stages = shape->per_rank,
				 .last = stages - 1 };
	struct actions actions = { 0 };
	struct arena scratch;
	size_t i;

	arena_init(&scratch);
	course.backwards = arena_array(&scratch, (size_t)stages, sizeof(*course.backwards));
	course.left = arena_array(&scratch, (size_t)stages, sizeof(*course.left));
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
