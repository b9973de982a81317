#include "framework/wing.h"

/* Its models are transformers' (OpenRLHF/OpenRLHF@3c3be623 openrlhf/models/actor.py). */
static const struct habit_row habits[] = {
	{ .habit = HABIT_TRANSFORMERS_MODELS },
	{ .habit = HABIT_NARROW_NORMS },
	/* transformers 5 (OpenRLHF@3c5900c8 requirements.txt; v0.9.4) */
	{ .habit = HABIT_LOOPS_EXPERTS, .minor = 10, .until = 2026022100 },
	/* openrlhf/models/actor.py, set_z3_leaf_modules (OpenRLHF@200ee357) */
	{ .habit = HABIT_EXPERTS_WHOLE, .since = 2025080600, .undated = true },
	/* openrlhf/datasets/sft_dataset.py, zero_pad_sequences; models/ring_attn_utils.py */
	{ .habit = HABIT_OWN_LENGTHS },
	{ .habit = HABIT_PACKS_BATCHES },
	{ .habit = HABIT_END },
};

const struct wing wing_openrlhf = {
	.name = "openrlhf",
	.habits = habits,
};
