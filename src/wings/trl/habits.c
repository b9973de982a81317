#include "framework/wing.h"

extern const struct wing wing_transformers;
extern const struct exceptions exceptions_trl;

static const struct habit_row habits[] = {
	{ .habit = HABIT_KTO_PAIRS },
	{ .habit = HABIT_GENERATION_BATCH },
	/* transformers 5, as newest */
	{ .habit = HABIT_LOOPS_EXPERTS, .major = 1, .until = 2026012600, .undated = true },
	/* trl/trainer/sft_trainer.py, DataCollatorForLanguageModeling */
	{ .habit = HABIT_OWN_LENGTHS },
	/* its loop, that of PPO's own too (accelerator.accumulate), waits as transformers' does */
	{ .habit = HABIT_END },
};

const struct wing wing_trl = {
	.name = "trl",
	.habits = habits,
	.tells = &exceptions_trl,
	.on = &wing_transformers,
};
