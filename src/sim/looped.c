#include "sim/looped.h"

int64_t looped_round(const struct pipeline_shape *shape)
{
	const int64_t rounds = shape->microbatches / shape->ranks;

	return shape->microbatches / (rounds > 1 ? rounds : 1);
}

const char *looped_refuses_uneven(const struct pipeline_shape *shape)
{
	if (shape->microbatches < shape->ranks ||
	    shape->microbatches % (shape->microbatches / shape->ranks) == 0)
		return NULL;
	return "wants microbatches that its rounds (microbatches / pp, rounded down) divide evenly";
}

/* The slot of a rank's stages and the microbatch that come at one turn of its forward passes. */
struct turn {
	int64_t slot, microbatch;
};

static struct turn turn_of(const struct pipeline_shape *shape, int64_t group, int64_t turn)
{
	const int64_t first = turn / (group * shape->per_rank) * group;
	const int64_t left = shape->microbatches - first;
	const int64_t size = left < group ? left : group;
	const int64_t within = turn - first * shape->per_rank;

	return (struct turn) { within / size, first + within % size };
}

/* One rank's schedule while it is written. */
struct writer {
	struct arena *arena;
	const struct pipeline_shape *shape;
	int64_t rank, group;
	struct actions *actions;
};

static void add_forward(const struct writer *w, int64_t turn)
{
	const struct turn at = turn_of(w->shape, w->group, turn);

	actions_add(w->arena, w->actions, ACTION_FORWARD, at.slot * w->shape->ranks + w->rank,
		    at.microbatch);
}

static void add_backward(const struct writer *w, enum action_kind kind, int64_t turn)
{
	const struct turn at = turn_of(w->shape, w->group, turn);
	const int64_t slot = w->shape->per_rank - 1 - at.slot;

	actions_add(w->arena, w->actions, kind, slot * w->shape->ranks + w->rank, at.microbatch);
}

void looped_order(struct arena *arena, const struct pipeline_shape *shape, int64_t rank,
		  const struct looped *looped, struct actions *actions)
{
	const struct writer w = { arena, shape, rank, looped->group, actions };
	const int64_t turns = shape->per_rank * shape->microbatches;
	const int64_t warm =
		(shape->per_rank - 1) * looped->group + looped->hop * (shape->ranks - 1 - rank);
	int64_t forward = 0, backward, weight = 0;

	while (forward < warm && forward < turns)
		add_forward(&w, forward++);
	for (backward = 0; backward < turns; backward++) {
		if (forward < turns)
			add_forward(&w, forward++);
		add_backward(&w, looped->splits ? ACTION_INPUT : ACTION_BACKWARD, backward);
		if (looped->splits && backward >= rank)
			add_backward(&w, ACTION_WEIGHT, weight++);
	}
	while (looped->splits && weight < turns)
		add_backward(&w, ACTION_WEIGHT, weight++);
}
