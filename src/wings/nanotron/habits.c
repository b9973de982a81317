#include "framework/wing.h"

extern const struct exceptions exceptions_nanotron;

static const struct habit_row habits[] = {
	{ .habit = HABIT_FILLS_PIPELINE },
	{ .habit = HABIT_KV_AT_LEAST },
	{ .habit = HABIT_CUTS_UNPADDED },
	{ .habit = HABIT_FILES_BY_RANK },
	{ .habit = HABIT_MEGATRON_GROUPS },
	{ .habit = HABIT_CUTS_ALONE },
	{ .habit = HABIT_END },
};

const struct wing wing_nanotron = {
	.name = "nanotron",
	.habits = habits,
	.tells = &exceptions_nanotron,
};
