#include "sim/looped.h"

/*
 * Megatron-LM core/pipeline_parallel/schedules.py, forward_backward_pipelining_with_interleaving.
 * Releases without microbatch_group_size_per_vp_stage have groups of as many microbatches as
 * ranks, and warm up with all of them where there is one group.
 */
static int64_t group_of(const struct pipeline_shape *shape)
{
	return shape->group ? shape->group : shape->ranks;
}

static const char *refuses(const struct pipeline_shape *shape)
{
	const int64_t group = group_of(shape);
	int64_t rest;

	if (group < shape->ranks || group > shape->microbatches)
		return "wants groups of at least pp and at most all microbatches";
	rest = shape->microbatches % group;
	if (rest > 0 && rest < shape->ranks)
		return "wants at least pp microbatches in its last group, too";
	return NULL;
}

static void order(struct arena *arena, const struct pipeline_shape *shape, int64_t rank,
		  struct actions *actions)
{
	const struct looped looped = { .group = group_of(shape), .hop = 2 };

	looped_order(arena, shape, rank, &looped, actions);
}

const struct schedule schedule_megatron_interleaved = {
	.name = "megatron-interleaved",
	.summary =
		"Megatron-LM's 1F1B over virtual stages, a group of microbatches after the other",
	.refuses = refuses,
	.order = order,
};
