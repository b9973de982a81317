#include "sim/vee.h"

/* The eight phases of DeepSeek's DualPipeV as torch 2.9 brought them (ScheduleDualPipeV). */
struct dual {
	struct vee v;
	int64_t ranks, rank;
	size_t pending; /* no action before this one waits for its weights */
};

static void forward(struct dual *d, int slot)
{
	vee_add(&d->v, ACTION_FORWARD, slot);
}

static void backward(struct dual *d, int slot, bool split)
{
	vee_add(&d->v, split ? ACTION_INPUT : ACTION_BACKWARD, slot);
}

/* A forward pass of one slot together with a backward pass of the other. */
static void both(struct dual *d, int slot)
{
	struct actions *actions = d->v.actions;

	forward(d, slot);
	actions->list.items[actions->list.count - 1].paired = true;
	backward(d, !slot, false);
}

/* Weights of the oldest backward pass that left them over, if there is one. */
static void weight(struct dual *d)
{
	const struct actions *actions = d->v.actions;

	while (d->pending < actions->list.count &&
	       actions->list.items[d->pending].kind != ACTION_INPUT)
		d->pending++;
	if (d->pending < actions->list.count) {
		const struct action of = actions->list.items[d->pending++];
		actions_add(d->v.arena, d->v.actions, ACTION_WEIGHT, of.stage, of.microbatch);
	}
}

static void warm_up(struct dual *d)
{
	const int64_t after = d->ranks - d->rank - 1;
	int64_t i;

	for (i = 0; i < 2 * after; i++)
		forward(d, 0);
	for (i = 0; i <= d->rank; i++) {
		forward(d, 0);
		forward(d, 1);
	}
	for (i = 0; i < after; i++) {
		backward(d, 1, true);
		weight(d);
		forward(d, 1);
	}
}

/* The last rank's first two are not paired, which keeps the bubble smaller. */
static void keep_up(struct dual *d)
{
	const int64_t steps = d->v.shape->microbatches - 2 * d->ranks + d->rank + 1;
	int64_t i;

	for (i = 0; i < steps; i++) {
		if (i > 0 || d->rank < d->ranks - 1) {
			both(d, 0);
		} else {
			forward(d, 0);
			backward(d, 1, false);
		}
		both(d, 1);
	}
	for (i = 0; i < d->ranks - d->rank - 1; i++) {
		backward(d, 1, false);
		both(d, 1);
	}
}

/* The backward passes from the middle of those of both slots on leave their weights for later. */
static void cool_down(struct dual *d)
{
	const int64_t after = d->ranks - d->rank - 1;
	int64_t i;

	for (i = 0; i <= d->rank; i++) {
		backward(d, 1, 2 * i > d->rank);
		backward(d, 0, 2 * i + 1 > d->rank);
	}
	for (i = 0; i < after; i++) {
		weight(d);
		backward(d, 0, true);
	}
	for (i = 0; i <= d->rank; i++)
		weight(d);
}

static void order(struct arena *arena, const struct pipeline_shape *shape, int64_t rank,
		  struct actions *actions)
{
	struct dual dual = {
		.ranks = shape->ranks,
		.rank = rank,
		.pending = actions->list.count,
	};

	vee_init(&dual.v, arena, shape, rank, actions);
	warm_up(&dual);
	keep_up(&dual);
	cool_down(&dual);
}

static const char *refuses(const struct pipeline_shape *shape)
{
	return shape->microbatches >= 2 * shape->ranks ? NULL
						       : "wants at least as many microbatches as "
							 "stages, 2 * pp";
}

const struct schedule schedule_dualpipev = {
	.name = "DualPipeV",
	.summary = "down the ranks and up again, forward and backward of two stages together",
	.vee = true,
	.splits = true,
	.pairs = true,
	.refuses = refuses,
	.order = order,
};
