#include "framework/wing.h"

extern const struct exceptions exceptions_nemo_rl;
extern const struct wing wing_nemo_automodel;

static const struct habit_row habits[] = {
	{ .habit = HABIT_BATCH_OVER_RANKS },
	{ .habit = HABIT_ETP_ONE },
	{ .habit = HABIT_END },
};

const struct wing wing_nemo_rl = {
	.name = "nemo-rl",
	.habits = habits,
	.tells = &exceptions_nemo_rl,
	.on = &wing_nemo_automodel,
};
