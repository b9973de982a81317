#include "framework/wing.h"

extern const struct wing wing_megatron;

/* ConfigContainer writes itself (NVIDIA-NeMo/Megatron-Bridge@067f987d
 * training/utils/config_utils.py). */
static const char dump[] =
	"# Run it where Megatron-Bridge is installed; it starts no training:\n"
	"#   python dump.py megatron.bridge.recipes.llama llama3_8b_pretrain_config recipe.yaml\n"
	"#   parplan check recipe.yaml --world 64\n"
	"import importlib, sys\n"
	"\n"
	"module, function, path = sys.argv[1:4]\n"
	"config = getattr(importlib.import_module(module), function)()\n"
	"config.to_yaml(path)\n";

static const struct habit_row habits[] = {
	{ .habit = HABIT_BY_RECIPES },
	{ .habit = HABIT_END },
};

const struct wing wing_nemo_bridge = {
	.name = "megatron-bridge",
	.dump = dump,
	.habits = habits,
	.on = &wing_megatron,
};
