#include "framework/wing.h"

static const struct habit_row habits[] = {
	{ .habit = HABIT_NO_FREE_DEGREE },
	{ .habit = HABIT_END },
};

const struct wing wing_litgpt = {
	.name = "litgpt",
	.habits = habits,
};
