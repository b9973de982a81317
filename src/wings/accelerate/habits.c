#include "framework/wing.h"

extern const struct exceptions exceptions_accelerate;

static const struct habit_row habits[] = {
	{ .habit = HABIT_STRATEGY_DROPPED },
	{ .habit = HABIT_ENGINE_FILE },
	{ .habit = HABIT_NO_FREE_DEGREE },
	{ .habit = HABIT_SIZED_AXES },
	{ .habit = HABIT_TIED_APART },
	{ .habit = HABIT_NODES_ALIKE },
	{ .habit = HABIT_TRANSFORMERS_MODELS },
	{ .habit = HABIT_NARROW_NORMS },
	{ .habit = HABIT_AUTOCASTS },
	/* transformers 5, as newest */
	{ .habit = HABIT_LOOPS_EXPERTS,
	  .major = 1,
	  .minor = 13,
	  .until = 2026012600,
	  .undated = true },
	{ .habit = HABIT_OWN_LENGTHS }, /* a script's own, of which flags give the greatest */
	/* huggingface/accelerate@16cb6eb8 accelerator.py, no_sync */
	{ .habit = HABIT_REDUCES_LAST },
	/* accelerate@ec92b1af: before it modules of fully_shard were asked for a no_sync that they
	   do not have */
	{ .habit = HABIT_REDUCES_SHARDS, .major = 1, .minor = 11, .until = 2025090700 },
	{ .habit = HABIT_END },
};

const struct wing wing_accelerate = {
	.name = "accelerate",
	.packaged = true,
	.habits = habits,
	.tells = &exceptions_accelerate,
};
