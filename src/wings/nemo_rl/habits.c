#include "framework/wing.h"

extern const struct exceptions exceptions_nemo_rl;
extern const struct wing wing_nemo_automodel;

static const struct habit_row habits[] = {
	{ .habit = HABIT_BATCH_OVER_RANKS },
	{ .habit = HABIT_ETP_ONE },
	/* of DTensor's policy, whatever its precision (NVIDIA-NeMo/RL@7ea279ab
	 * nemo_rl/models/automodel/setup.py, and policy/workers/dtensor_policy_worker.py) */
	{ .habit = HABIT_STORES_FP32 },
	{ .habit = HABIT_REDUCES_FP32 },
	/* no set_requires_gradient_sync in NVIDIA-NeMo/RL@7ea279ab nemo_rl/models */
	{ .habit = HABIT_REDUCES_EACH },
	{ .habit = HABIT_END },
};

const struct wing wing_nemo_rl = {
	.name = "nemo-rl",
	.habits = habits,
	.tells = &exceptions_nemo_rl,
	.on = &wing_nemo_automodel,
};
