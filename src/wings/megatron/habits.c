#include "wings/megatron/megatron.h"

static const struct habit_row habits[] = {
	{ .habit = HABIT_MEGATRON },
	{ .habit = HABIT_CLAMPS },
	{ .habit = HABIT_MEGATRON_STEP },
	/* from about 2023-06-01 on */
	{ .habit = HABIT_TRANSFORMER_ENGINE, .since = 2023060100 },
	/* 27fc468964 to 3c92fa93b5, 2021-02-09 to 2023-03-23 */
	{ .habit = HABIT_SCATTERS_SENDS, .since = 2021020900, .until = 2023032300 },
	/* on by default from de9428a701 of 2024-01-18 on (core/fusions/fused_bias_swiglu.py) */
	{ .habit = HABIT_FUSED_SWIGLU, .since = 2024011800, .undated = true },
	/* from about 2024-03-01 on recipes do */
	{ .habit = HABIT_OVERLAPS, .since = 2024030100 },
	/* from about 2025-10-01 on recipes with many experts do */
	{ .habit = HABIT_SENDS_ONCE, .since = 2025100100 },
	/* use_transformer_engine_op_fuser, for mxfp8 on Blackwell: from about 2026-06-01 on
	 * recipes with many experts do (NVIDIA/Megatron-LM@d98e8a64
	 * megatron/core/transformer/moe/experts.py) */
	{ .habit = HABIT_FUSES_EXPERTS, .since = 2026060100 },
	/* from about 2025-10-01 on those of Megatron Bridge for GB200 and GB300 do */
	{ .habit = HABIT_CAPTURES, .since = 2025100100 },
	/* 2025-06-01: core 0.13 */
	{ .habit = HABIT_RECOMPUTES_MODULES, .since = 2025060100 },
	/* 2025-05-01: from core 0.12 on inside */
	{ .habit = HABIT_WEIGHS_OUTSIDE, .until = 2025050100 },
	/* 2024-09-01: about when recipes of NeMo 2 do */
	{ .habit = HABIT_FP8_ALONE, .since = 2024090100, .undated = true },
	/* 2026-02-24: Transformer Engine 2.14 (pull request 2632) */
	{ .habit = HABIT_NARROW_ADAM, .since = 2026022400, .undated = true },
	/* until 9634c0e4a3, core 0.8 (core/tensor_parallel/cross_entropy.py) */
	{ .habit = HABIT_LOGITS_COPIED, .until = 2024061300 },
	/* 2025-05-01: Transformer Engine 2.3 (pull request 1651) */
	{ .habit = HABIT_EMPTY_GRADIENTS, .since = 2025050100, .undated = true },
	{ .habit = HABIT_MEGATRON_GROUPS },
	{ .habit = HABIT_EXPERT_TENSOR },
	{ .habit = HABIT_END },
};

/* Megatron Core, and Microsoft's fork for DeepSpeed. */
static const char *const kinds[] = { "core", "deepspeed", NULL };

const struct wing wing_megatron = {
	.name = "megatron",
	.kinds = kinds,
	.habits = habits,
	.schedule = "1F1B",
	.tells = &exceptions_megatron,
	.virtual_stages = megatron_virtual_stages,
	.interleaves = megatron_step_of,
};
