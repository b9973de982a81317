#include "framework/wing.h"

/* Its Megatron engine gives stages layers by their parameters (configure_pipeline_layer_splits). */
static const struct habit_row habits[] = {
	{ .habit = HABIT_WEIGHS_LAYERS },
	/* of FSDP (areal/engine/fsdp_engine.py) */
	{ .habit = HABIT_TRANSFORMERS_MODELS },
	{ .habit = HABIT_NARROW_NORMS },
	{ .habit = HABIT_LOOPS_EXPERTS, .until = 2026012600, .undated = true }, /* transformers 5 */
	{ .habit = HABIT_END },
};

const struct wing wing_areal = {
	.name = "areal",
	.habits = habits,
};
