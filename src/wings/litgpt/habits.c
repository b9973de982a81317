#include "framework/wing.h"

static const struct habit_row habits[] = {
	{ .habit = HABIT_NO_FREE_DEGREE },
	/* Lightning-AI/litgpt@26857050 litgpt/model.py, CausalSelfAttention and do_softcapping */
	{ .habit = HABIT_FUSED_QKV },
	{ .habit = HABIT_COPIES_KEYS },
	{ .habit = HABIT_JOINS_HEADS },
	{ .habit = HABIT_MASKS_WINDOWS },
	{ .habit = HABIT_CAPS_SCORES },
	/* litgpt/utils.py, chunked_cross_entropy; finetune/full.py and pretrain.py */
	{ .habit = HABIT_LOSS_SPLIT },
	/* finetune/full.py and pretrain.py, fabric.no_backward_sync */
	{ .habit = HABIT_REDUCES_LAST },
	{ .habit = HABIT_END },
};

const struct wing wing_litgpt = {
	.name = "litgpt",
	.habits = habits,
};
