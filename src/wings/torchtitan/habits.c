#include "framework/wing.h"

extern const struct exceptions exceptions_torchtitan;

static const struct habit_row habits[] = {
	{ .habit = HABIT_TRAINER },
	{ .habit = HABIT_AXES_NAMED },
	{ .habit = HABIT_TIED_APART,
	  .until = 2026031000 }, /* 67cdb9a73 (#2522), between 10 and 26 March 2026 */
	{ .habit = HABIT_CLIPS_STAGES,
	  .until = 2024111100 }, /* #649 was under review until mid November 2024 */
	{ .habit = HABIT_END },
};

const struct wing wing_torchtitan = {
	.name = "torchtitan",
	.habits = habits,
	.tells = &exceptions_torchtitan,
};
