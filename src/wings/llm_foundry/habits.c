#include "framework/wing.h"

extern const struct exceptions exceptions_llm_foundry;

static const struct habit_row habits[] = {
	{ .habit = HABIT_BATCH_OVER_RANKS },
	{ .habit = HABIT_LOSS_FUSED },
	{ .habit = HABIT_END },
};

/* The trainer below llm-foundry. */
/* What shards in it. */
static const char *const kinds[] = { "fsdp", NULL };

const struct wing wing_composer = {
	.name = "composer",
	.kinds = kinds,
	.habits = habits,
	.tells = &exceptions_llm_foundry,
};

const struct wing wing_llm_foundry = {
	.name = "llm-foundry",
	.on = &wing_composer,
};
