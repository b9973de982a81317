#include "framework/wing.h"

extern const struct exceptions exceptions_axolotl;

static const struct habit_row habits[] = {
	{ .habit = HABIT_CUTS_PACK },
	{ .habit = HABIT_RING_KERNEL },
	{ .habit = HABIT_STRATEGY_DROPPED },
	{ .habit = HABIT_BARE_DEGREES },
	{ .habit = HABIT_END },
};

const struct wing wing_axolotl = {
	.name = "axolotl",
	.habits = habits,
	.tells = &exceptions_axolotl,
};
