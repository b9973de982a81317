#include "framework/wing.h"

extern const struct exceptions exceptions_nemo_automodel;

static const struct habit_row habits[] = {
	{ .habit = HABIT_TRANSFORMER_ENGINE },
	{ .habit = HABIT_STORES_BF16 },
	/* 2025-05-01: from core 0.12 on inside */
	{ .habit = HABIT_WEIGHS_OUTSIDE, .until = 2025050100 },
	/* 2024-09-01: about when recipes of NeMo 2 do */
	{ .habit = HABIT_FP8_ALONE, .since = 2024090100, .undated = true },
	/* components/distributed/pipelining/autopipeline.py, which asks for outputs */
	{ .habit = HABIT_STAGE_BUFFERS },
	{ .habit = HABIT_OUTPUTS_RETURNED },
	/* components/distributed/utils.py, get_sync_ctx: always before 0.3, then by a key */
	{ .habit = HABIT_REDUCES_LAST },
	{ .habit = HABIT_END },
};

const struct wing wing_nemo_automodel = {
	.name = "nemo-automodel",
	.habits = habits,
	.tells = &exceptions_nemo_automodel,
};
