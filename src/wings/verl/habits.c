#include "framework/wing.h"

extern const struct exceptions exceptions_verl;

static const struct habit_row habits[] = {
	{ .habit = HABIT_BATCH_OVER_RANKS },
	{ .habit = HABIT_ROLLOUT },
	{ .habit = HABIT_ULYSSES_INSIDE },
	{ .habit = HABIT_NO_BUFFERS }, /* no initialize_ub in verl-project/verl@1dda039b */
	{ .habit = HABIT_TRANSFORMERS_MODELS },
	{ .habit = HABIT_NARROW_NORMS },
	{ .habit = HABIT_LOOPS_EXPERTS, .until = 2026012600, .undated = true }, /* transformers 5 */
	/* verl-project/verl@1dda039b verl/workers/engine/fsdp/transformer_impl.py, MixedPrecision
	 */
	{ .habit = HABIT_REDUCES_FP32 },
	/* verl-project/verl@1dda039b verl/workers/engine/utils.py, prepare_micro_batches */
	{ .habit = HABIT_OWN_LENGTHS },
	{ .habit = HABIT_END },
};

const struct wing wing_verl = {
	.name = "verl",
	.habits = habits,
	.tells = &exceptions_verl,
};
