#include "framework/torchtitan/timeline.h"

#include <ctype.h>
#include <string.h>

/*
 * Source of every row: pytorch/torchtitan@COMMIT and its pull request. Rows of one day are
 * ordered by the last two digits of `when`; tags come after the commits of their day.
 */
#define SET(n)                                                                                     \
	n,                                                                                         \
	{
#define END }
#define NOTHING                                                                                    \
	0,                                                                                         \
	{                                                                                          \
		{                                                                                  \
			TRAIT_AXES, 0                                                              \
		}                                                                                  \
	}

/* clang-format off */
const struct timeline_row timeline[] = {
	{ "a6d26255e", NULL, "axes pp, dp, tp; axes of size 1 dropped (#288)", 2024043001,
	  SET(5) { TRAIT_AXES, AXES_DP }, { TRAIT_FSDP_MESH, FSDP_DP }, { TRAIT_FSDP_NEEDS_SHARD, 1 },
		 { TRAIT_MICROBATCHES, MICROBATCHES_COUNTED }, { TRAIT_OWN_SCHEDULES, 1 } END },
	{ "aafe0e870", NULL, "pipeline parallel; refused before", 2024052101,
	  SET(1) { TRAIT_PP, PP_GIVEN_POINTS } END },
	{ "2f989b9f3", NULL, "data_parallel_type fsdp or ddp", 2024071801,
	  SET(1) { TRAIT_DDP, DDP_WORLD_1D_DOT } END },
	{ "8849580d4", NULL, "DDP's refusal ends without a full stop", 2024080501,
	  SET(1) { TRAIT_DDP, DDP_WORLD_1D } END },
	{ "db6b39acd", NULL, "HSDP: dp_replicate and dp_shard (#518)", 2024091001,
	  SET(5) { TRAIT_AXES, AXES_HSDP }, { TRAIT_DP_RENAMED, 1 }, { TRAIT_DP_FLATTENED, FLATTEN_HSDP },
		 { TRAIT_FSDP_MESH, FSDP_HSDP }, { TRAIT_DP_SHARD_SPACE, 1 } END },
	{ "a88dc4125", NULL, "pipeline schedules by torch's names (#595)", 2024100901,
	  SET(1) { TRAIT_OWN_SCHEDULES, 0 } END },
	{ "cec7fb6fc", NULL, "split points are made where none are given", 2024101001,
	  SET(1) { TRAIT_PP, PP_SPLIT_POINTS } END },
	{ "205983a09", NULL, "every schedule of several stages gets all of them", 2024101002,
	  SET(1) { TRAIT_PP_LOOPED, LOOPED_NO_CUSTOM } END },
	{ "b19456a98", NULL, "context parallel (#592); HSDP with cp becomes flat FSDP", 2024102201,
	  SET(3) { TRAIT_AXES, AXES_CP }, { TRAIT_CP_FLATTENED, CP_IN_PARALLELIZE }, { TRAIT_CP_LOGGED, CP_LOGGED_AFTER } END },
	{ "d7cabfb6c", NULL, "fully_shard gets world_mesh[\"dp\"]: HSDP becomes flat FSDP (#667)", 2024103101,
	  SET(2) { TRAIT_FSDP_MESH, FSDP_COLLAPSED }, { TRAIT_CP_FLATTENED, CP_DP_CP } END },
	{ "5525d7723", NULL, "pipeline_parallel_schedule_csv", 2024112201,
	  SET(1) { TRAIT_PP_LOOPED, LOOPED_ALL } END },
	{ "3e3909a0c", NULL, "context parallel alone no longer crashes (#683)", 2024112801,
	  SET(1) { TRAIT_CP_FLATTENED, CP_DP_CP_OPTIONAL } END },
	{ "9a4eebe1c", NULL, "HSDP mesh right again, but not with cp (#713)", 2024120201,
	  SET(1) { TRAIT_FSDP_MESH, FSDP_HSDP } END },
	{ "cb633e332", NULL, "axes keep their names, \"dp\" is always flattened (#720)", 2024121101,
	  SET(2) { TRAIT_DP_RENAMED, 0 }, { TRAIT_DP_FLATTENED, FLATTEN_ALWAYS } END },
	{ "40a0873b3", NULL, "dp_shard_cp: HSDP with cp is 2-D (#685)", 2024121102,
	  SET(4) { TRAIT_CP_FLATTENED, CP_DP_SHARD_CP }, { TRAIT_FSDP_MESH, FSDP_DP_SHARD_CP }, { TRAIT_DDP, DDP_NOT_CP },
		 { TRAIT_FSDP_NEEDS_SHARD, 0 } END },
	{ "f6a9daa13", NULL, "disable_loss_parallel replaces enable_loss_parallel", 2024122301, NOTHING },
	{ "6b03ffa32", NULL, "loss mesh dp_cp; DDP with cp becomes HSDP (#761)", 2024122601,
	  SET(2) { TRAIT_CP_FLATTENED, CP_DP_SHARD_CP_LOSS }, { TRAIT_DDP, DDP_WORLD_1D } END },
	{ "90567fc98", NULL, "as many microbatches as stages where none are counted", 2025010701,
	  SET(1) { TRAIT_MICROBATCHES, MICROBATCHES_AS_STAGES } END },
	{ "95677cb9c", NULL, "microbatches must divide the batch", 2025011001,
	  SET(1) { TRAIT_MICROBATCHES, MICROBATCHES_CHECKED } END },
	{ "cca07028e", NULL, "the learning-rate scheduler can be resharded (#794)", 2025013101,
	  SET(1) { TRAIT_LR_SCHEDULER_RESHARDS, 1 } END },
	{ "690f299d3", NULL, "resuming on another data-parallel degree is refused (#816)", 2025020401,
	  SET(1) { TRAIT_DATALOADER, DATALOADER_ASSERTS } END },
	{ "5940ddeb5", NULL, "fsdp_reshard_after_forward", 2025020601, NOTHING },
	{ "49c6d6fc1", NULL, "checkpoint.exclude_from_loading (#819)", 2025020602,
	  SET(1) { TRAIT_EXCLUDE_FROM_LOADING, 1 } END },
	{ "3996b634a", NULL, "stages of ZBVZeroBubble lie in a V (#817)", 2025021001,
	  SET(1) { TRAIT_PP_V, PP_V_ZERO_BUBBLE } END },
	{ "0f5bafa33", NULL, "torchft: FTParallelDims keeps dp_replicate (#834)", 2025022801,
	  SET(1) { TRAIT_FT_MESH, FT_MANAGED_MESH } END },
	{ "785c34c99", NULL, "degrees move to [parallelism] (#980)", 2025031801,
	  /* #977 of the day before, its own commit unknown. */
	  SET(1) { TRAIT_COMPILED_NAMES_KEPT, 1 } END },
	{ "8b737fe3c", NULL, "pipeline_parallel_layers_per_stage", 2025040701,
	  SET(1) { TRAIT_PP, PP_LAYERS_PER_STAGE } END },
	{ "5e2033c75", NULL, "pipeline_parallel_microbatch_size replaces the count", 2025040702,
	  SET(1) { TRAIT_MICROBATCHES, MICROBATCHES_SIZED } END },
	{ "6ef66dae7", NULL, "torchft's device mesh moves (#1100)", 2025041401, NOTHING },
	{ "f64cf3c18", NULL, "embedding and output count as layers of the split (#1103)", 2025041501,
	  SET(1) { TRAIT_PP, PP_RIGID_LAYERS } END },
	{ "508350b7d", NULL, "torchft by an all-reduce hook, the mesh is plain (#1109)", 2025041701,
	  SET(1) { TRAIT_FT_MESH, FT_HOOK } END },
	{ "c1c2f55d1", NULL, "tyro reads the command line", 2025041801, NOTHING },
	{ "8570415c3", NULL, "local_batch_size replaces batch_size; gradient accumulation", 2025060501,
	  SET(1) { TRAIT_BATCH_CHECKED, 1 } END },
	{ "f7084fc78567f865d0c411f2c7b9bbbef6b155ac", "v0.1.0", "release", 2025061750, NOTHING },
	{ "6f6a89727", NULL, "sequence length checked against tp and cp (#1312)", 2025062301,
	  /* Read at v0.1.0 and v0.2.0, its own commit unknown: the last. */
	  SET(2) { TRAIT_SEQ_LEN, SEQ_LEN_PRODUCT }, { TRAIT_CP_ATTENTION, CP_ATTENTION_IN_PROGRESS } END },
	{ "01f4e5022", NULL, "expert parallel borrowed from dp_shard and cp (#1324)", 2025070801,
	  /* #1347 of the two weeks before, its own commit unknown: the last. */
	  SET(2) { TRAIT_EP, EP_BORROWED }, { TRAIT_MODEL_FLATTENED, 1 } END },
	{ "6204cdff9", NULL, "the world mesh is built on first use; seq_len a multiple of 2 * cp (#1384)", 2025071401,
	  SET(1) { TRAIT_SEQ_LEN, SEQ_LEN_DIVISOR } END },
	{ "83e694105", NULL, "llama3: embeddings and [norm, output] are units of their own", 2025072801,
	  SET(1) { TRAIT_UNITS, UNITS_SPLIT_LLAMA3 } END },
	{ "3c84ce095", NULL, "module_fqns_per_model_part replaces split points (#1416)", 2025073001,
	  SET(1) { TRAIT_PP, PP_FQNS } END },
	{ "a9aa50696", NULL, "one MoE for all models, experts no longer transposed (#1534)", 2025080501,
	  SET(1) { TRAIT_NAMES, NAMES_OUTPUT } END },
	{ "59e57a4bb", NULL, "gradient divide factor of experts (#1551)", 2025081101, NOTHING },
	{ "aeb3a4baf", NULL, "expert tensor parallel, etp in {tp, 1} (#1555)", 2025081301,
	  SET(2) { TRAIT_EP, EP_ETP }, { TRAIT_DP_SHARD_SPACE, 0 } END },
	{ "7354848df", NULL, "ends are units in every model; experts cut along dim 1 (#1561)", 2025081302,
	  SET(3) { TRAIT_UNITS, UNITS_SPLIT_ENDS }, { TRAIT_EXPERTS_DIM, EXPERTS_COLUMNS_EP },
		 { TRAIT_DEEPSEEK_EP_UNTOLD, 1 } END },
	{ "6fc499f6f", NULL, "deepseek_v3 with ep works again (#1575)", 2025081401,
	  SET(1) { TRAIT_DEEPSEEK_EP_UNTOLD, 0 } END },
	{ "803906b8f", NULL, "stages of DualPipeV lie in a V (#1571)", 2025081501,
	  SET(1) { TRAIT_PP_V, PP_V_DUAL_PIPE } END },
	{ "9e2468960", NULL, "deepseek_v3 with torch.compile (#1588)", 2025081801,
	  SET(1) { TRAIT_DEEPSEEK_COMPILES, DEEPSEEK_COMPILES } END },
	{ "08b8b244f", NULL, "compile moves; deepseek_v3 and llama4 under DDP still ask for training.compile (#1608)", 2025082001,
	  SET(1) { TRAIT_DEEPSEEK_COMPILES, DEEPSEEK_DDP_BROKEN } END },
	{ "cd337db63", NULL, "checkpoint.enable replaces enable_checkpoint", 2025082201, NOTHING },
	{ "2025abb5f", NULL, "deepseek_v3 and llama4 under DDP work again (#1629)", 2025082401,
	  SET(1) { TRAIT_DEEPSEEK_COMPILES, DEEPSEEK_COMPILES } END },
	{ "eadca4835", NULL, "unknown keys raise (#1644)", 2025082801,
	  SET(1) { TRAIT_UNKNOWN_KEYS_RAISE, 1 } END },
	{ "5b5d46856", NULL, "converters named quantize.*", 2025092601,
	  SET(2) { TRAIT_CONVERTER_NAMES, 1 }, { TRAIT_FLOAT8_TP_LOST, 1 } END },
	{ "6e06a49cd", NULL, "one pipeline function for all models; split points are gone (#1868)", 2025101301,
	  SET(1) { TRAIT_PP_DEGREE_NAMED, 1 } END },
	{ "29624e37fa6dd319fd671b009338651b5c665da2", "v0.2.0", "release", 2025101750, NOTHING },
	{ "8228c0845", NULL, "enable_compiled_autograd removed", 2025102801, NOTHING },
	{ "5a090f21e", NULL, "FLOPs formula by head dimensions", 2025102901, NOTHING },
	{ "11d73a2b9", NULL, "async tensor parallel says that it needs compile.components (#2011)", 2025111101,
	  SET(1) { TRAIT_ASYNC_TP, ASYNC_TP_COMPONENTS } END },
	{ "183a0d2e7", NULL, "one world mesh unflattened into views (#1660)", 2025121701,
	  SET(6) { TRAIT_AXES, AXES_VIEWS }, { TRAIT_FSDP_MESH, FSDP_VIEW }, { TRAIT_DDP, DDP_WORLD_SIZE },
		 { TRAIT_EP, EP_SPARSE_ETP }, { TRAIT_EP_NEEDS_TP, 1 }, { TRAIT_BATCH_FAKE, 1 } END },
	{ "81af8833ddeff9b5f1874dc7e20594aa17da6b86", "v0.2.1", "release", 2025122650,
	  SET(1) { TRAIT_CP_ATTENTION, CP_ATTENTION_SDPA_ONLY } END },
	{ "62f5806ed", NULL, "llama4 and qwen3: ep without tp works again (#2185)", 2025122901,
	  SET(1) { TRAIT_EP_NEEDS_TP, 0 } END },
	{ "1e8f9acd1", NULL, "context parallel is a plan for modules (#2144)", 2026012001,
	  SET(2) { TRAIT_CP_LOGGED, CP_LOGGED_BEFORE }, { TRAIT_CP_ATTENTION, CP_ATTENTION_BY_MODEL } END },
	{ "0cb743558", NULL, "the batch mesh is real: tokens are counted over it", 2026012501,
	  SET(1) { TRAIT_BATCH_FAKE, 0 } END },
	{ "846653f85", NULL, "fault tolerance leaves the core trainer", 2026021201,
	  SET(1) { TRAIT_FT_MESH, FT_GONE } END },
	{ "73a0e6979dd10b6b1904098eb3c8f62c18ab87ce", "v0.2.2", "release", 2026022050, NOTHING },
	{ "9810191bb", NULL, "configs are Python functions; no TOML", 2026022301,
	  SET(2) { TRAIT_PYTHON_CONFIG, 1 }, { TRAIT_FLOAT8_TP_LOST, 0 } END },
	{ "6b081f404", NULL, "pipelines of qwen3 (#2461)", 2026030301,
	  SET(1) { TRAIT_PIPELINES, FAMILIES_ALL_BUT_GPT_OSS } END },
	{ "e1847f439", NULL, "DDP by the new replicate, with any other axis (#2458)", 2026030901,
	  SET(1) { TRAIT_DDP, DDP_ANY } END },
	{ "c6856e3c1", NULL, "FlexAttention with cp; cp with tp refused in qwen3, gpt_oss and deepseek_v3 (#2541)", 2026031001,
	  SET(1) { TRAIT_CP_TP_REFUSED, CP_TP_REFUSED } END },
	{ "29e27d038", NULL, "tied ends are one unit, but not in llama3 (#2522)", 2026031101,
	  SET(1) { TRAIT_UNITS, UNITS_TIED_BUT_LLAMA3 } END },
	{ "fa8e6ccc9", NULL, "heads held against tp (#2577)", 2026031401,
	  SET(1) { TRAIT_HEADS_CHECKED, HEADS_CHECKED_KV } END },
	{ "34f705ba4", NULL, "qwen3 with cp and tp no longer refused (#2557)", 2026031901,
	  SET(1) { TRAIT_CP_TP_REFUSED, CP_TP_REFUSED_BUT_QWEN3 } END },
	{ "1f029641b", NULL, "experts are a unit and cut along dim 1 without ep, too (#2668)", 2026032301,
	  SET(2) { TRAIT_EXPERTS_DIM, EXPERTS_COLUMNS }, { TRAIT_EXPERTS_UNIT, 1 } END },
	{ "8953d2e39", NULL, "tied ends are one unit in llama3, too (#2580)", 2026032302,
	  SET(1) { TRAIT_UNITS, UNITS_TIED } END },
	{ "18a46d427", NULL, "per-parameter expert mesh, wrong under HSDP (#2281)", 2026032601,
	  SET(2) { TRAIT_EXPERT_MESH, EXPERT_FIRST_DIM }, { TRAIT_EXPERTS_UNIT, 0 } END },
	{ "261819688", NULL, "context parallel by attention module, gpt_oss included (#2761)", 2026033101,
	  SET(2) { TRAIT_CP_ATTENTION, CP_ATTENTION_NOT_VARLEN }, { TRAIT_CP_TP_REFUSED, CP_TP_MEETS } END },
	{ "00b7f5693", NULL, "fully_shard always applied (#2900)", 2026040901,
	  SET(2) { TRAIT_FSDP_MESH, FSDP_ALWAYS }, { TRAIT_STRATEGY_LOGGED, LOGGED_FULLY_SHARD } END },
	{ "12979c663", NULL, "fsdp_gradient_divide_factor removed", 2026041101, NOTHING },
	{ "1786292db", NULL, "llama3 is sharded by its config (#2963)", 2026042701,
	  SET(1) { TRAIT_STRATEGY_LOGGED, LOGGED_FULLY_SHARD_BUT_LLAMA3 } END },
	{ "8e820844e", NULL, "the other models are sharded by their configs (#2969)", 2026042702,
	  SET(1) { TRAIT_CP_LOGGED, CP_NOT_LOGGED } END },
	{ "786e26f8e", NULL, "loss normalised inside the pipeline schedule; output is lm_head (#2937)", 2026042703,
	  SET(1) { TRAIT_NAMES, NAMES_LM_HEAD } END },
	{ "c4b409af2", NULL, "etp removed (#3167)", 2026043001,
	  SET(1) { TRAIT_EP, EP_SPARSE } END },
	{ "db5da4b6b", NULL, "PipelineScheduleSingle is refused by name (#2724)", 2026050401,
	  SET(1) { TRAIT_PP_ABSTRACT_REFUSED, 1 } END },
	{ "1d392caa5", NULL, "experts under HSDP right (#3231)", 2026050701,
	  SET(1) { TRAIT_EXPERT_MESH, EXPERT_PER_PARAMETER } END },
	{ "d64eabcce", NULL, "parallelism.full_dtensor, for llama3 (#3159)", 2026051701,
	  SET(2) { TRAIT_SPMD, SPMD_PARTIAL_DTENSOR }, { TRAIT_FULL_DTENSOR, FAMILIES_LLAMA3 } END },
	{ "28483d0eb", NULL, "heads held against tp in every model, sequences against the rotary embedding (#3395)", 2026052801,
	  SET(2) { TRAIT_HEADS_CHECKED, HEADS_CHECKED_KV_ASKED }, { TRAIT_ROPE, ROPE_OF_MODEL } END },
	{ "92abc88e7", NULL, "deepseek_v3 with tp works again (#3448)", 2026052802,
	  SET(1) { TRAIT_HEADS_CHECKED, HEADS_CHECKED_ALL } END },
	{ "02d24f017", NULL, "each attention has its rotary embedding (#3458)", 2026060501,
	  SET(1) { TRAIT_ROPE, ROPE_OF_ATTENTION } END },
	{ "641b5f6b8", NULL, "parallelism.spmd_backend (#3466)", 2026060601,
	  SET(1) { TRAIT_SPMD_TYPES_OVERLAP, 1 } END },
	{ "d92336fee", NULL, "llama4 removed; one apply_fsdp for all models (#3573)", 2026060801,
	  SET(1) { TRAIT_STRATEGY_LOGGED, LOGGED_STRATEGY } END },
	{ "98efb19e1", NULL, "full_dtensor for every model (#3447)", 2026060901,
	  SET(1) { TRAIT_FULL_DTENSOR, FAMILIES_ALL } END },
	{ "169545712", NULL, "FlexAttention is the default (#3571)", 2026060902,
	  SET(1) { TRAIT_FLEX_DEFAULT, 1 } END },
	{ "a0c831c49", NULL, "meshes of spmd_types, which no model uses yet (#3641)", 2026061101,
	  SET(2) { TRAIT_SPMD_TYPES, FAMILIES_NONE }, { TRAIT_SPMD_TYPES_OVERLAP, 0 } END },
	{ "8e5554449", NULL, "pipelines of gpt_oss (#3666)", 2026061401,
	  SET(1) { TRAIT_PIPELINES, FAMILIES_ALL } END },
	{ "b3b60dabf", NULL, "disable_loss_parallel removed (#3694)", 2026061801, NOTHING },
	{ "73b64151e", NULL, "pipelines of VarlenAttention are refused (#3777)", 2026062401,
	  SET(1) { TRAIT_VARLEN_PP_REFUSED, 1 } END },
	{ "0a4aa4542", NULL, "spmd_types for llama3 (#3763)", 2026062501,
	  SET(1) { TRAIT_SPMD_TYPES, FAMILIES_LLAMA3 } END },
	{ "565cb810c", NULL, "sequence length no longer checked in llama3", 2026062502,
	  SET(1) { TRAIT_SEQ_LEN, SEQ_LEN_UNCHECKED } END },
	{ "3e477ead0", NULL, "qwen3 reaches as far as its checkpoints (#3796)", 2026062503,
	  SET(1) { TRAIT_ROPE, ROPE_LONGER } END },
	{ "9b91827ab", NULL, "spmd_types for qwen3 (#3655)", 2026062504,
	  SET(1) { TRAIT_SPMD_TYPES, FAMILIES_LLAMA3_QWEN3 } END },
	{ "622c1acaa", NULL, "spmd_types for deepseek_v3 (#3673)", 2026062601,
	  SET(1) { TRAIT_SPMD_TYPES, FAMILIES_ALL_BUT_GPT_OSS } END },
	{ "7144431d6", NULL, "spmd_types for gpt_oss (#3690)", 2026062602,
	  SET(1) { TRAIT_SPMD_TYPES, FAMILIES_ALL } END },
	{ "3101b42f9", NULL, "experts are moe.routed_experts.inner_experts (#3859)", 2026071601,
	  SET(1) { TRAIT_NAMES, NAMES_HEAD } END },
	{ "922856452", NULL, "microbatches come split, those of VarlenAttention, too (#3856)", 2026073101,
	  SET(2) { TRAIT_VARLEN_PP_REFUSED, 0 }, { TRAIT_MICROBATCHES_SPLIT, 1 } END },
	{ "96276d865", NULL, "fake axes no longer listed (#4068)", 2026080701, NOTHING },
	/* Read at HEAD, their own commits unknown: all but the first of this row. */
	{ "5ab3a0fd1", NULL, "spmd_types is the default (#4085)", 2026081801,
	  SET(3) { TRAIT_SPMD, SPMD_TYPES }, { TRAIT_DATALOADER, DATALOADER_RAISES },
		 { TRAIT_ASYNC_TP, ASYNC_TP_OF_CONFIG } END },
	{ "601cf4d23", NULL, "full_dtensor removed (#4217)", 2026081901,
	  SET(1) { TRAIT_FULL_DTENSOR, FAMILIES_UNKNOWN } END },
	{ "5dd944e62", NULL, "context parallel needs spmd_types and FlexAttention (#4218)", 2026081902,
	  SET(2) { TRAIT_CP_NEEDS_SPMD_TYPES, 1 }, { TRAIT_CP_ATTENTION, CP_ATTENTION_FLEX_ONLY } END },
	{ "73aed7f6c", NULL, "batches counted in tokens", 2026082001,
	  SET(2) { TRAIT_TOKENS, 1 }, { TRAIT_SEQ_LEN, SEQ_LEN_TOKENS } END },
	{ "253a12a2a", NULL, "ep must divide dp_shard * cp * tp (#4258)", 2026082101,
	  SET(1) { TRAIT_EP, EP_SPARSE_CHECKED } END },
	{ "b5bcd76c66d0acb1a08b176d9639425bc55e0b2a", "HEAD", "main as of 2026-08-21", 2026082150, NOTHING },
};
/* clang-format on */

const int timeline_count = (int)(sizeof(timeline) / sizeof(timeline[0]));

/* True when one is a prefix of the other over seven digits or more. */
static bool same_commit(const char *commit, const char *text, size_t length)
{
	size_t digits = strlen(commit) < length ? strlen(commit) : length, i;

	if (length < 7)
		return false;
	for (i = 0; i < digits; i++)
		if (tolower((unsigned char)text[i]) != commit[i])
			return false;
	return true;
}

static bool is_word(const char *word, const char *text, size_t length)
{
	return strlen(word) == length && !strncmp(word, text, length);
}

static bool named(const struct timeline_row *row, const char *text, size_t length)
{
	static const char *const heads[] = { "head", "main", "latest" };
	size_t i;

	if (same_commit(row->commit, text, length))
		return true;
	if (!row->tag)
		return false;
	if (is_word(row->tag, text, length) || is_word(row->tag + 1, text, length))
		return true;
	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (!strcmp(row->tag, "HEAD") && is_word(heads[i], text, length))
			return true;
	return false;
}

const struct timeline_row *timeline_find(const char *text)
{
	size_t length = strcspn(text, "^");
	int i;

	for (i = 0; i < timeline_count; i++) {
		if (!named(&timeline[i], text, length))
			continue;
		if (!text[length])
			return &timeline[i];
		return text[length + 1] || !i ? NULL : &timeline[i - 1];
	}
	return NULL;
}

const struct timeline_row *timeline_at(moment_t when)
{
	const struct timeline_row *row = NULL;
	int i;

	for (i = 0; i < timeline_count && timeline[i].when <= when; i++)
		row = &timeline[i];
	return row;
}

const struct timeline_row *timeline_epoch(moment_t when)
{
	const struct timeline_row *epoch = NULL;
	int i, j;

	for (i = 0; i < timeline_count && timeline[i].when <= when; i++)
		for (j = 0; j < timeline[i].set_count; j++)
			if (timeline[i].set[j].trait <= TRAIT_SPMD)
				epoch = &timeline[i];
	return epoch;
}

void timeline_traits(moment_t when, int traits[TRAIT_COUNT])
{
	int i, j;

	memset(traits, 0, TRAIT_COUNT * sizeof(*traits));
	for (i = 0; i < timeline_count && timeline[i].when <= when; i++)
		for (j = 0; j < timeline[i].set_count; j++)
			traits[timeline[i].set[j].trait] = timeline[i].set[j].value;
}
