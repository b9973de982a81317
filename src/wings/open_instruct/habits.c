#include "framework/wing.h"

/* Its models are transformers' (allenai/open-instruct@e6c3044a open_instruct/finetune.py). */
static const struct habit_row habits[] = {
	{ .habit = HABIT_TRANSFORMERS_MODELS },
	{ .habit = HABIT_NARROW_NORMS },
	{ .habit = HABIT_OWN_LENGTHS },	 /* open_instruct/finetune.py, padding="longest" */
	{ .habit = HABIT_REDUCES_LAST }, /* finetune.py, accelerator.accumulate */
	{ .habit = HABIT_END },
};

const struct wing wing_open_instruct = {
	.name = "open-instruct",
	.habits = habits,
};
