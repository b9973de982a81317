#include "sim/looped.h"

/* ZB1P of arXiv:2401.10241 over several stages per rank. */
static void order(struct arena *arena, const struct pipeline_shape *shape, int64_t rank,
		  struct actions *actions)
{
	const struct looped looped = { .group = looped_round(shape), .hop = 1, .splits = true };

	looped_order(arena, shape, rank, &looped, actions);
}

const struct schedule schedule_interleaved_zero_bubble = {
	.name = "InterleavedZeroBubble",
	.summary = "interleaved, with gradients of weights later, where ranks would wait",
	.splits = true,
	.refuses = looped_refuses_uneven,
	.order = order,
};
