#include "framework/wing.h"

extern const struct exceptions exceptions_deepspeed;

static const struct habit_row habits[] = {
	{ .habit = HABIT_ENGINE },
	{ .habit = HABIT_ASSERTS_TRIPLE },
	{ .habit = HABIT_KV_UNEVEN },
	{ .habit = HABIT_CUTS_UNPADDED },
	{ .habit = HABIT_WEIGHS_LAYERS },
	{ .habit = HABIT_OPTIMIZER_PARTS },
	{ .habit = HABIT_CLAMPS },
	{ .habit = HABIT_MEGATRON_GROUPS },
	{ .habit = HABIT_WORD_RUNS }, /* nccl_start_alignment_factor */
	/* until v0.18.2, of 2025-11-05 (runtime/zero/stage3.py, _create_fp32_partitions); two
	 * releases of a month before it count as later ones */
	{ .habit = HABIT_CLONES_FP32, .minor = 18, .until = 2025110500 },
	{ .habit = HABIT_TRANSFORMERS_MODELS },
	{ .habit = HABIT_NARROW_NORMS },
	/* transformers 5, as newest */
	{ .habit = HABIT_LOOPS_EXPERTS, .minor = 19, .until = 2026012600, .undated = true },
	/* until v0.18.1 (runtime/zero/leaf_module_config.py, DEFAULT_LEAF_MODULE_CLASSES) */
	{ .habit = HABIT_EXPERTS_APART, .minor = 18, .until = 2025100300 },
	{ .habit = HABIT_END },
};

/* What shards in it. */
static const char *const kinds[] = { "zero", NULL };

const struct wing wing_deepspeed = {
	.name = "deepspeed",
	.kinds = kinds,
	.packaged = true,
	.habits = habits,
	.schedule = "1F1B",
	.tells = &exceptions_deepspeed,
};
