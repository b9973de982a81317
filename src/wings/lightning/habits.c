#include "framework/wing.h"

extern const struct exceptions exceptions_lightning;

static const struct habit_row habits[] = {
	{ .habit = HABIT_OPTIMIZER_PARTS, .major = 2 },
	{ .habit = HABIT_NO_FREE_DEGREE },
	{ .habit = HABIT_NODES_ALIKE },
	{ .habit = HABIT_TASK_PER_DEVICE },
	{ .habit = HABIT_AUTOCASTS },
	/*
	 * pytorch-lightning@7f0c3436 strategies/parallel.py, block_backward_sync: all that have a
	 * no_sync wait, which FullyShardedDataParallel has, and modules of fully_shard have not.
	 */
	{ .habit = HABIT_REDUCES_LAST },
	{ .habit = HABIT_REDUCES_SHARDS },
	{ .habit = HABIT_END },
};

const struct wing wing_lightning = {
	.name = "lightning",
	.habits = habits,
	.tells = &exceptions_lightning,
};
