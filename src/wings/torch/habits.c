#include "framework/wing.h"

/* What PyTorch and the libraries that come with it do below every framework. */

extern const struct exceptions exceptions_torch;

static const struct habit_row habits[] = {
	/* CUDA 12, from PyTorch 2.0 on */
	{ .habit = HABIT_LOADS_LATE, .since = 2023031500, .undated = true },
	/* NCCL 2.22, from PyTorch 2.7 on */
	{ .habit = HABIT_CONNECTS_LATE, .since = 2025042300, .undated = true },
	/* 2.11, two months after 2.10 (TORCH_CUDNN_FIRST in framework/torch/release.c) */
	{ .habit = HABIT_CUDNN_FIRST, .since = 2026032100 },
	{ .habit = HABIT_END },
};

const struct wing wing_torch = {
	.name = "torch",
	.habits = habits,
	.tells = &exceptions_torch,
};

static const struct habit_row torchft[] = {
	{ .habit = HABIT_MESH_REGISTERED,
	  .since = 2025040301,
	  .what = "PyTorch looks into a ManagedDeviceMesh (torchft#155)" },
	{ .habit = HABIT_END },
};

const struct wing wing_torchft = {
	.name = "torchft",
	.habits = torchft,
};

static const struct habit_row torchao[] = {
	/* ao#933, da0bbe308, in torchao 0.6 */
	{ .habit = HABIT_AMAX_OVER_WORLD, .until = 2024092500, .minor = 6 },
	{ .habit = HABIT_END },
};

const struct wing wing_torchao = {
	.name = "torchao",
	.habits = torchao,
};
