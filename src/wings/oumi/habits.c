#include "framework/wing.h"

/* Its models are transformers', trained by Trainers of TRL or transformers (oumi-ai/oumi@d8ed0777).
 */
static const struct habit_row habits[] = {
	{ .habit = HABIT_KTO_PAIRS }, /* builders/training.py@d8ed0777: TRL's trainer */
	{ .habit = HABIT_TRANSFORMERS_MODELS }, { .habit = HABIT_NARROW_NORMS },
	{ .habit = HABIT_AUTOCASTS },		{ .habit = HABIT_END },
};

const struct wing wing_oumi = {
	.name = "oumi",
	.habits = habits,
};
