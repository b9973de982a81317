#include "framework/wing.h"

extern const struct exceptions exceptions_llama_factory;
extern const struct wing wing_transformers;

static const struct habit_row habits[] = {
	{ .habit = HABIT_ALIGNED_DOCUMENTS },
	{ .habit = HABIT_EP_IN_PRODUCT },
	{ .habit = HABIT_NO_FREE_DEGREE },
	{ .habit = HABIT_END },
};

const struct wing wing_llama_factory = {
	.name = "llama-factory",
	.habits = habits,
	.tells = &exceptions_llama_factory,
	.on = &wing_transformers,
};
