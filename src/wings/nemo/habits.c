#include "framework/wing.h"

extern const struct wing wing_megatron;

/*
 * NeMo 2 makes its configs by recipes, whose strategy has the degrees by the names that stood below
 * `model` before (docs.nvidia.com/nemo-framework, "Migrate Parallelism Configurations"): written so
 * that NeMo 1.x's reader takes them.
 */
static const char dump[] =
	"# Run it where NeMo 2 is installed; it starts no training:\n"
	"#   python dump.py nemo.collections.llm.recipes.llama3_8b pretrain_recipe > recipe.json\n"
	"#   parplan check recipe.json\n"
	"import importlib, json, sys\n"
	"\n"
	"recipe = getattr(importlib.import_module(sys.argv[1]), sys.argv[2])()\n"
	"trainer, data = recipe.trainer, recipe.data\n"
	"model = {key: getattr(trainer.strategy, key, None) for key in (\n"
	"    \"tensor_model_parallel_size\", \"pipeline_model_parallel_size\", "
	"\"virtual_pipeline_model_parallel_size\",\n"
	"    \"context_parallel_size\", \"expert_model_parallel_size\", \"sequence_parallel\")}\n"
	"model.update(micro_batch_size=data.micro_batch_size, "
	"global_batch_size=data.global_batch_size,\n"
	"             encoder_seq_length=data.seq_length)\n"
	"sizes = {key: getattr(trainer, key, None) for key in (\"num_nodes\", \"devices\", "
	"\"max_steps\")}\n"
	"json.dump({\"trainer\": sizes, \"exp_manager\": {}, \"model\": model}, sys.stdout, "
	"indent=1, default=str)\n";

static const struct habit_row habits[] = {
	{ .habit = HABIT_BY_RECIPES },
	{ .habit = HABIT_END },
};

const struct wing wing_nemo = {
	.name = "nemo",
	.dump = dump,
	.habits = habits,
	.on = &wing_megatron,
};
