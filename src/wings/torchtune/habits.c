#include "framework/wing.h"

extern const struct exceptions exceptions_torchtune;

static const struct habit_row habits[] = {
	{ .habit = HABIT_WANTS_TP_PLAN },
	{ .habit = HABIT_IGNORES_DEGREES },
	{ .habit = HABIT_FIXED_RECIPES },
	{ .habit = HABIT_LOGITS_CHUNKED },
	/* pytorch/torchtune@bd2a0fc7 recipes/full_finetune_distributed.py, set_default_dtype */
	{ .habit = HABIT_STORES_AS_COMPUTED },
	/* torchtune/modules/rms_norm.py: PyTorch's in fp32 from 1450d6126 to c5c160b42 */
	{ .habit = HABIT_NARROW_NORMS, .until = 2024112500 },
	{ .habit = HABIT_NARROW_NORMS, .since = 2025032600 },
	/* pytorch/torchtune@bd2a0fc7 torchtune/modules/attention.py; models/gemma2/_attention.py */
	{ .habit = HABIT_SPREADS_KEYS },
	{ .habit = HABIT_CAPS_SCORES },
	/* pytorch/torchtune@bd2a0fc7 torchtune/data/_collate.py, padded_collate */
	{ .habit = HABIT_OWN_LENGTHS },
	/* nothing in it tells FSDP to wait for the last pass (all of bd2a0fc7) */
	{ .habit = HABIT_END },
};

const struct wing wing_torchtune = {
	.name = "torchtune",
	.packaged = true,
	.habits = habits,
	.tells = &exceptions_torchtune,
};
