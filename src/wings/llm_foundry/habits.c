#include "framework/wing.h"

extern const struct exceptions exceptions_llm_foundry;

static const struct habit_row habits[] = {
	{ .habit = HABIT_BATCH_OVER_RANKS },
	{ .habit = HABIT_LOSS_FUSED },
	/* amp_fp8 (mosaicml/composer@64051888 composer/core/precision.py) */
	{ .habit = HABIT_ENGINE_CASTS },
	/* attn_impl was triton in its own configs until about v0.5 */
	{ .habit = HABIT_TRITON_ATTENTION, .until = 2024010100, .undated = true },
	/* ddp_sync_context (composer@64051888 distributed/dist_strategy.py) has DDP alone wait */
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
