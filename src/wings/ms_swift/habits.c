#include "framework/wing.h"

extern const struct wing wing_megatron;

static const struct habit_row habits[] = {
	{ .habit = HABIT_ETP_ONE },
	{ .habit = HABIT_END },
};

const struct wing wing_ms_swift = {
	.name = "ms-swift",
	.habits = habits,
	.on = &wing_megatron,
};
