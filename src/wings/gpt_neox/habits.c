#include "framework/wing.h"

extern const struct exceptions exceptions_gpt_neox;

static const struct habit_row habits[] = {
	{ .habit = HABIT_FILES_BY_RANK },
	{ .habit = HABIT_MEGATRON_BLOCKS },
	{ .habit = HABIT_END },
};

const struct wing wing_gpt_neox = {
	.name = "gpt-neox",
	.habits = habits,
	.tells = &exceptions_gpt_neox,
};
