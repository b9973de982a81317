#include "framework/wing.h"

extern const struct exceptions exceptions_torchtitan;

static const struct habit_row habits[] = {
	{ .habit = HABIT_TIMELINE },
	{ .habit = HABIT_TRAINER },
	{ .habit = HABIT_END },
};

const struct wing wing_torchtitan = {
	.name = "torchtitan",
	.habits = habits,
	.tells = &exceptions_torchtitan,
};
