#include "framework/wing.h"

extern const struct exceptions exceptions_lightning;

static const struct habit_row habits[] = {
	{ .habit = HABIT_OPTIMIZER_PARTS, .major = 2 },
	{ .habit = HABIT_END },
};

const struct wing wing_lightning = {
	.name = "lightning",
	.habits = habits,
	.tells = &exceptions_lightning,
};
