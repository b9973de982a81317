#include "sim/schedule.h"

/*
 * As many forward passes as there are stages from this one to the last, then backward and forward
 * in turn: what torch executes (the table that its 2.8 prints is off by one on the last rank),
 * what Megatron-LM does without virtual stages, and DeepSpeed's TrainSchedule, whose stage s of p
 * does F of microbatch k in its step s + 2 k and B in step 2 p - 1 - s + 2 k.
 */
static void order(struct arena *arena, const struct pipeline_shape *shape, int64_t rank,
		  struct actions *actions)
{
	int64_t forward = 0, backward;

	while (forward < shape->microbatches && forward < shape->ranks - rank)
		actions_add(arena, actions, ACTION_FORWARD, rank, forward++);
	for (backward = 0; backward < shape->microbatches; backward++) {
		actions_add(arena, actions, ACTION_BACKWARD, rank, backward);
		if (forward < shape->microbatches)
			actions_add(arena, actions, ACTION_FORWARD, rank, forward++);
	}
}

const struct schedule schedule_1f1b = {
	.name = "1F1B",
	.summary = "one forward, one backward in turn; few microbatches in flight",
	.refuses = schedule_refuses_several,
	.order = order,
};
