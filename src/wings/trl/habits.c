#include "framework/wing.h"

extern const struct wing wing_transformers;

static const struct habit_row habits[] = {
	/* transformers 5, as newest */
	{ .habit = HABIT_LOOPS_EXPERTS, .major = 1, .until = 2026012600, .undated = true },
	{ .habit = HABIT_END },
};

const struct wing wing_trl = {
	.name = "trl",
	.habits = habits,
	.on = &wing_transformers,
};
