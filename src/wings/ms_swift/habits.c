#include "wings/megatron/megatron.h"

/* It trains by Megatron Core or by transformers' Trainer: a step of its own is neither's. */
static const struct habit_row habits[] = {
	{ .habit = HABIT_MEGATRON },
	{ .habit = HABIT_DEVICE_MAP }, /* swift/model/utils.py, get_default_device_map */
	{ .habit = HABIT_ETP_ONE },
	{ .habit = HABIT_RING_BEYOND },
	{ .habit = HABIT_TRANSFORMERS_MODELS },
	{ .habit = HABIT_NARROW_NORMS },
	{ .habit = HABIT_AUTOCASTS },
	/* transformers 5, as newest */
	{ .habit = HABIT_LOOPS_EXPERTS, .major = 4, .until = 2026012600, .undated = true },
	/* ms-swift@35663af6 swift/llm/model/register.py, deepspeed_set_z3_leaf_modules */
	{ .habit = HABIT_EXPERTS_WHOLE, .since = 2025101000, .undated = true },
	/* ms-swift@3602360a swift/template/base.py, data_collator */
	{ .habit = HABIT_OWN_LENGTHS },
	{ .habit = HABIT_REDUCES_LAST }, /* its loop is transformers' Trainer */
	{ .habit = HABIT_REDUCES_SHARDS, .until = 2025102000 }, /* accelerate 1.11.0 */
	{ .habit = HABIT_END },
};

const struct wing wing_ms_swift = {
	.name = "ms-swift",
	.habits = habits,
	.tells = &exceptions_megatron,
	.virtual_stages = megatron_virtual_stages,
	.interleaves = megatron_step_of,
};
