#include "framework/wing.h"

extern const struct exceptions exceptions_axolotl;

static const struct habit_row habits[] = {
	{ .habit = HABIT_CUTS_PACK },
	{ .habit = HABIT_RING_KERNEL },
	{ .habit = HABIT_KTO_PAIRS }, /* core/builders/rl.py@067b021c: TRL's trainer */
	{ .habit = HABIT_STRATEGY_DROPPED },
	{ .habit = HABIT_BARE_DEGREES },
	{ .habit = HABIT_NO_FREE_DEGREE },
	{ .habit = HABIT_TAKES_BY_FLOOR },
	{ .habit = HABIT_IGNORES_DEGREES },
	{ .habit = HABIT_TRANSFORMERS_MODELS },
	{ .habit = HABIT_NARROW_NORMS },
	{ .habit = HABIT_AUTOCASTS },
	/* transformers 5 (axolotl@fc4e3792) */
	{ .habit = HABIT_LOOPS_EXPERTS, .minor = 14, .until = 2026012600, .undated = true },
	/* MOE_ARCH_BLOCK (axolotl@54d2ac15 utils/models.py, set_z3_leaf_modules) */
	{ .habit = HABIT_EXPERTS_WHOLE, .since = 2024012400, .undated = true },
	/* core/builders/causal.py@067b021c: padding is to the longest */
	{ .habit = HABIT_OWN_LENGTHS },
	{ .habit = HABIT_REDUCES_LAST }, /* its loop is transformers' Trainer */
	/* accelerate 1.11 (axolotl@bfdc9a82) */
	{ .habit = HABIT_REDUCES_SHARDS, .minor = 13, .until = 2025110600 },
	{ .habit = HABIT_END },
};

const struct wing wing_axolotl = {
	.name = "axolotl",
	.packaged = true,
	.habits = habits,
	.expert_plugin = "axolotl.integrations.expert_parallel.ExpertParallelPlugin",
	.tells = &exceptions_axolotl,
};
