#include "framework/wing.h"

extern const struct exceptions exceptions_llama_factory;
extern const struct wing wing_transformers;

static const struct habit_row habits[] = {
	{ .habit = HABIT_ALIGNED_DOCUMENTS },
	{ .habit = HABIT_EP_IN_PRODUCT },
	{ .habit = HABIT_NO_FREE_DEGREE },
	/* transformers 5 (LLaMA-Factory@bf04ca6a) */
	{ .habit = HABIT_LOOPS_EXPERTS, .until = 2026020200, .undated = true },
	/* LLaMA-Factory@18ad259f; model/model_utils/moe.py, add_z3_leaf_module */
	{ .habit = HABIT_EXPERTS_WHOLE, .since = 2024012200, .undated = true },
	/* LLaMA-Factory@ff6d4d12 src/llamafactory/data/collator.py, padding to the longest */
	{ .habit = HABIT_OWN_LENGTHS },
	/* accelerate 1.10.1 at most (LLaMA-Factory@af843709) */
	{ .habit = HABIT_REDUCES_SHARDS, .minor = 9, .until = 2025100500 },
	{ .habit = HABIT_END },
};

const struct wing wing_llama_factory = {
	.name = "llama-factory",
	.habits = habits,
	.tells = &exceptions_llama_factory,
	.on = &wing_transformers,
};
