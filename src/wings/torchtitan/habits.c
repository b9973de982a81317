#include "framework/wing.h"
#include "wings/torchtitan/timeline.h"

extern const struct exceptions exceptions_torchtitan;

#define WHILE(which, set) .trait = (which), .values = (set)
#define IS(value)	  (1U << (value))

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
	/* bcebc0de5 parallelisms/parallelize_llama.py, _save_list, until 88247277c (pull request
	   820) */
	{ .habit = HABIT_KEEPS_MAGNITUDES, .since = 2024112600, .until = 2025020600 },
	/* pytorch/torchtitan@114151ad4 distributed/activation_checkpoint.py, _get_save_ops */
	{ .habit = HABIT_LISTS_BY_MODEL, .until = 2026032302 },
	/* c4e229115 models/deepseek_v3/infra/parallelize.py and llama4's */
	{ .habit = HABIT_SENDS_AGAIN, .until = 2025090600 },
	/* bmm of models/common/moe.py, until 8bc267dea adds by scatter_add again */
	{ .habit = HABIT_KEEPS_SUMS, .since = 2026032302, .until = 2026040600 },
	/* ab5ed59f8 models/common/moe/moe.py, TokenChoiceTopKRouter */
	{ .habit = HABIT_WIDE_ROUTER, .since = 2026030400, .undated = true },
	/* checkpoint_wrapper without reentrance, of PyTorch 2.1 (torch/utils/checkpoint.py,
	 * set_checkpoint_early_stop) */
	{ .habit = HABIT_STOPS_EARLY },
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
	/* pull request 1776, models/attention.py */
	{ .habit = HABIT_CUDNN_FIRST, .since = 2025100900 },
	/* pull request 3714, models/llama3 and its like */
	{ .habit = HABIT_FUSED_QKV, .since = 2026062400 },
	/* until pull request 391 */
	{ .habit = HABIT_LOGITS_HELD, .until = 2024061300 },
	{ .habit = HABIT_STAGE_BUFFERS },
	/* e5ef99aab (pull request 1922) steps with return_outputs=False */
	{ .habit = HABIT_OUTPUTS_RETURNED, .until = 2025102200 },
	{ .habit = HABIT_HAS_REPLICAS, .from = "db6b39acd" },
	{ .habit = HABIT_HAS_CP, WHILE(TRAIT_AXES, IS(AXES_CP) | IS(AXES_VIEWS)) },
	{ .habit = HABIT_HAS_EP, .from = "01f4e5022" },
	{ .habit = HABIT_HAS_ETP, WHILE(TRAIT_EP, IS(EP_ETP) | IS(EP_SPARSE_ETP)) },
	{ .habit = HABIT_ETP_BY_TP, WHILE(TRAIT_EP, IS(EP_BORROWED)) },
	{ .habit = HABIT_MESH_VIEWS, WHILE(TRAIT_AXES, IS(AXES_VIEWS)) },
	{ .habit = HABIT_REPLICAS_LOST, WHILE(TRAIT_EXPERT_MESH, IS(EXPERT_FIRST_DIM)) },
	{ .habit = HABIT_FT_MANAGED, WHILE(TRAIT_FT_MESH, IS(FT_MANAGED_MESH)) },
	{ .habit = HABIT_FT_HOOK, WHILE(TRAIT_FT_MESH, IS(FT_HOOK)) },
	{ .habit = HABIT_FT_GONE, WHILE(TRAIT_FT_MESH, IS(FT_GONE)) },
	/* 594a120ad (#1214) of 2025-05-28 raises (components/quantization/float8.py) */
	{ .habit = HABIT_SKIPS_FLOAT8, .until = 2025052800 },
	{ .habit = HABIT_COUNTS_TOKENS, WHILE(TRAIT_TOKENS, IS(1)) },
	{ .habit = HABIT_COUNTS_MICRO,
	  WHILE(TRAIT_MICROBATCHES,
		IS(MICROBATCHES_COUNTED) | IS(MICROBATCHES_AS_STAGES) | IS(MICROBATCHES_CHECKED)) },
	{ .habit = HABIT_COUNTS_MICRO, WHILE(TRAIT_TOKENS, IS(1)) },
	{ .habit = HABIT_CAPTURES_ALONE, WHILE(TRAIT_CUDA_GRAPHS, IS(1)) },
	{ .habit = HABIT_STEPS_AT_ONCE, .before = "8570415c3" },
	{ .habit = HABIT_LENGTH_FREE, .from = "a6d26255e", .before = "6f6a89727" },
	{ .habit = HABIT_LENGTH_DIVISOR, WHILE(TRAIT_SEQ_LEN, IS(SEQ_LEN_DIVISOR)) },
	{ .habit = HABIT_CP_FLEX_LLAMA, WHILE(TRAIT_CP_ATTENTION, IS(CP_ATTENTION_BY_MODEL)) },
	{ .habit = HABIT_CP_TP_FAILS, .from = "v0.2.2", .before = "12979c663" },
	{ .habit = HABIT_VIEWS_PLAIN, .from = "690f299d3", .before = "9810191bb" },
	{ .habit = HABIT_LOOPS_V, .from = "a6d26255e", WHILE(TRAIT_PP_V, IS(PP_V_NONE)) },
	{ .habit = HABIT_LOOPS_DUAL_PIPE,
	  .from = "a6d26255e",
	  WHILE(TRAIT_PP_V, IS(PP_V_NONE) | IS(PP_V_ZERO_BUBBLE)) },
	{ .habit = HABIT_SPREADS_ENDS, WHILE(TRAIT_PP, IS(PP_RIGID_LAYERS) | IS(PP_FQNS)) },
	{ .habit = HABIT_SUMS_STAGES, .from = "0cb743558", .before = "786e26f8e" },
	{ .habit = HABIT_CASTS_BY_SHARDS, .before = "00b7f5693" },
	{ .habit = HABIT_REPLICAS_CAST, WHILE(TRAIT_DDP, IS(DDP_ANY)) },
	{ .habit = HABIT_AUTOCASTS, .from = "0b44d4c43", .before = "00b7f5693" },
	{ .habit = HABIT_COMPILES_ITSELF, .from = "a6d26255e", .before = "9810191bb" },
	{ .habit = HABIT_PYTHON_CONFIG, WHILE(TRAIT_PYTHON_CONFIG, IS(1)) },
	{ .habit = HABIT_NAMES_QUANTIZE, WHILE(TRAIT_CONVERTER_NAMES, IS(1)) },
	{ .habit = HABIT_FLOAT8_TP_LOST, WHILE(TRAIT_FLOAT8_TP_LOST, IS(1)) },
	{ .habit = HABIT_FLOAT8_ALL_SIZES, .from = "a6d26255e", .before = "785c34c99" },
	{ .habit = HABIT_LOADING_EXCLUDES, WHILE(TRAIT_EXCLUDE_FROM_LOADING, IS(1)) },
	{ .habit = HABIT_EXCLUDES_PAIR, WHILE(TRAIT_DATALOADER, IS(DATALOADER_RAISES)) },
	{ .habit = HABIT_END },
};

/* As far as is known. */
static const struct lacking_family lacking[] = {
	{ "qwen3", "a6d26255e", "6f6a89727", "v0.2.0 has it" },
	{ "gpt_oss", "a6d26255e", "6f6a89727", "v0.2.1 has it" },
	{ "deepseek_v3", "a6d26255e", "690f299d3", "v0.2.0 has it" },
	{ "llama4", "a6d26255e", "8b737fe3c", "v0.2.0 has it" },
	{ "llama4", "d92336fee", NULL, "v0.2.2 still has it" },
	{ NULL, NULL, NULL, NULL },
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
	.lacks_families = lacking,
	.dump = dump,
};
