#include "framework/wing.h"

extern const struct exceptions exceptions_megatron;

static const struct habit_row habits[] = {
	{ .habit = HABIT_MEGATRON },
	{ .habit = HABIT_CLAMPS },
	{ .habit = HABIT_END },
};

const struct wing wing_megatron = {
	.name = "megatron",
	.habits = habits,
	.tells = &exceptions_megatron,
};
