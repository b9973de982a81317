#include "framework/wing.h"

extern const struct exceptions exceptions_torchtitan;

static const struct habit_row habits[] = {
	{ .habit = HABIT_TRAINER },
	{ .habit = HABIT_AXES_NAMED },
	{ .habit = HABIT_TIED_APART,
	  .until = 2026031000 }, /* 67cdb9a73 (#2522), between 10 and 26 March 2026 */
	{ .habit = HABIT_CLIPS_STAGES,
	  .until = 2024111100 }, /* #649 was under review until mid November 2024 */
	{ .habit = HABIT_SEQUENCE_PARALLEL },
	/* what its configs say */
	{ .habit = HABIT_RECOMPUTES_OPERATORS },
	/* torchtitan@v0.2.0 config/job_config.py, mixed_precision_reduce */
	{ .habit = HABIT_REDUCES_FP32 },
	/* from about 2025-08-01 on, on the nightlies it runs on (pytorch/pytorch#153666) */
	{ .habit = HABIT_FUSED_NORM, .since = 2025080100 },
	/* from about 2025-01-01 on */
	{ .habit = HABIT_FUSED_ADAM, .since = 2025010100, .undated = true },
	{ .habit = HABIT_LOSS_PARALLEL },
	/* pull request 1033, until GraphTrainer traces it (pull request 3120) */
	{ .habit = HABIT_LOSS_COMPILED, .since = 2025040100, .until = 2026050100, .undated = true },
	{ .habit = HABIT_LOSS_TRACED, .since = 2026050100 },
	/* about when its configs do (pull request 2937) */
	{ .habit = HABIT_LOSS_CHUNKED, .since = 2026070100 },
	/* until pull request 391 */
	{ .habit = HABIT_LOGITS_HELD, .until = 2024061300 },
	{ .habit = HABIT_END },
};

/* Names of classes are not in what to_dict() makes (pytorch/torchtitan@b5bcd76c6 trainer.py). */
static const char dump[] =
	"# Run it where TorchTitan is installed; it starts no training:\n"
	"#   python dump.py --module llama3 --config llama3_8b > config.json\n"
	"#   parplan check config.json --world 64\n"
	"import dataclasses, json, sys\n"
	"from torchtitan.config import ConfigManager\n"
	"\n"
	"def classes(part):\n"
	"    if dataclasses.is_dataclass(part) and not isinstance(part, type):\n"
	"        parts = [getattr(part, f.name, None) for f in dataclasses.fields(part)]\n"
	"        return {type(part).__qualname__}.union(*map(classes, parts))\n"
	"    parts = part.values() if isinstance(part, dict) else part if isinstance(part, (list, "
	"tuple)) "
	"else ()\n"
	"    return set().union(*map(classes, parts))\n"
	"\n"
	"config = ConfigManager().parse_args(sys.argv[1:])\n"
	"made = config.to_dict()\n"
	"(made.get(\"model_spec\") or {}).pop(\"model\", None)\n"
	"made[\"classes\"] = {f.name: sorted(classes(getattr(config, f.name))) for f in "
	"dataclasses.fields(config)}\n"
	"json.dump(made, sys.stdout, indent=1, default=str)\n";

const struct wing wing_torchtitan = {
	.name = "torchtitan",
	.packaged = true,
	.habits = habits,
	.bucket_mib = 100,
	.tells = &exceptions_torchtitan,
	.dump = dump,
};
