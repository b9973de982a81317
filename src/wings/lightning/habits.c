#include "framework/wing.h"

extern const struct exceptions exceptions_lightning;

static const struct habit_row habits[] = {
	{ .habit = HABIT_OPTIMIZER_PARTS, .major = 2 },
	{ .habit = HABIT_NO_FREE_DEGREE },
	{ .habit = HABIT_NODES_ALIKE },
	{ .habit = HABIT_TASK_PER_DEVICE },
	{ .habit = HABIT_AUTOCASTS },
	{ .habit = HABIT_END },
};

const struct wing wing_lightning = {
	.name = "lightning",
	.habits = habits,
	.tells = &exceptions_lightning,
};
