#include "framework/wing.h"

extern const struct exceptions exceptions_picotron;

static const struct habit_row habits[] = {
	{ .habit = HABIT_MEGATRON_GROUPS },
	{ .habit = HABIT_END },
};

const struct wing wing_picotron = {
	.name = "picotron",
	.habits = habits,
	.tells = &exceptions_picotron,
};
