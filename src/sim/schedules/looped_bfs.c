#include "sim/schedule.h"

/* Backward in the opposite order of forward, microbatches too, as torch has it. */
static void order(struct arena *arena, const struct pipeline_shape *shape, int64_t rank,
		  struct actions *actions)
{
	const int64_t turns = shape->per_rank * shape->microbatches;
	int64_t i;

	for (i = 0; i < turns; i++)
		actions_add(arena, actions, ACTION_FORWARD,
			    i / shape->microbatches * shape->ranks + rank, i % shape->microbatches);
	for (i = turns - 1; i >= 0; i--)
		actions_add(arena, actions, ACTION_BACKWARD,
			    i / shape->microbatches * shape->ranks + rank, i % shape->microbatches);
}

const struct schedule schedule_looped_bfs = {
	.name = "LoopedBFS",
	.summary = "all microbatches through one stage of a rank, then through its next",
	.hoards = true,
	.order = order,
};
