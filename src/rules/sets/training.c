#include "base/number.h"
#include "framework/casting.h"
#include "rules/advice.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* Batches of tokens, as TorchTitan counts them since 73aed7f6c. */
static void report_tokens(const struct rule *rule, struct job *job)
{
	const struct setting *step = fact(job, FIELD_TOKENS_PER_STEP);
	const int64_t each = setting_int(&job->settings, FIELD_TOKENS_PER_MICROBATCH, 0);
	const int64_t parts = degree_of(job, FIELD_PP) > 1
				      ? setting_int(&job->settings, FIELD_PP_MICROBATCHES, 1)
				      : 1;
	const int64_t dp = degree_of(job, FIELD_DP_REPLICATE) * degree_of(job, FIELD_DP_SHARD);
	const int64_t unit = multiply(multiply(each, parts), dp);
	struct finding *finding;

	finding = raised_finding(rule, job,
				 "%" PRId64 " tokens per step are not a multiple of %" PRId64
				 " tokens * %" PRId64 " microbatch%s * %" PRId64
				 " data-parallel ranks = %" PRId64,
				 step->integer, each, parts, parts == 1 ? "" : "es", dp, unit);
	finding_fix(job->findings, finding, "use %s, or -1 for no accumulation",
		    multiples_around(job->arena, step->integer, unit));
	edit_setting(job, finding, step, nearest_multiple(step->integer, unit));
}

static void check_batch(const struct rule *rule, struct job *job)
{
	const struct setting *global = fact(job, FIELD_GLOBAL_BATCH_SIZE);
	int64_t local = setting_int(&job->settings, FIELD_LOCAL_BATCH_SIZE, 0);
	int64_t dp = degree_of(job, FIELD_DP_REPLICATE) * degree_of(job, FIELD_DP_SHARD);
	struct finding *finding;
	int64_t unit;

	if (!raised(rule, job))
		return;
	if (job_does(job, HABIT_COUNTS_TOKENS)) {
		report_tokens(rule, job);
		return;
	}
	if (local < 1 || (setting_known(global) && !global->integer)) {
		finding = raised_finding(rule, job,
					 "%s batch size is %" PRId64 "; it must be 1 or more%s",
					 local < 1 ? "local" : "global", local < 1 ? local : 0,
					 local < 1 ? "" : ", or -1");
		finding->related.count = 0;
		finding_fix(
			job->findings, finding, "%s",
			local < 1
				? "give the number of sequences per data-parallel rank"
				: "write -1 for one micro-step, or a multiple of the local batch");
		return;
	}
	if (!setting_known(global) || global->integer < 1) {
		raised_check(rule, job);
		return;
	}
	unit = multiply(local, dp);
	finding = raised_finding(rule, job,
				 "global batch size %" PRId64 " is not a multiple of local batch "
				 "size %" PRId64 " * %" PRId64 " data-parallel ranks = %" PRId64
				 ": %" PRId64 " mod %" PRId64 " = %" PRId64,
				 global->integer, local, dp, unit, global->integer, unit,
				 global->integer % unit);
	if (span_known(global->span))
		finding->span = global->span;
	relate_setting(job, finding, FIELD_LOCAL_BATCH_SIZE);
	finding_fix(job->findings, finding, "use %s, or -1 for one micro-step",
		    multiples_around(job->arena, global->integer, unit));
	edit_setting(job, finding, global, nearest_multiple(global->integer, unit));
}

/* Where a step is one pass, it has as many sequences as all ranks take at once. */
static void check_at_once(const struct rule *rule, struct job *job)
{
	const struct setting *global = fact(job, FIELD_GLOBAL_BATCH_SIZE);
	const struct setting *passes = fact(job, FIELD_GRADIENT_ACCUMULATION);
	const int64_t local = setting_int(&job->settings, FIELD_LOCAL_BATCH_SIZE, 0);
	const int64_t dp =
		multiply(degree_of(job, FIELD_DP_REPLICATE), degree_of(job, FIELD_DP_SHARD));
	const bool batch = setting_given(global) && setting_known(global) && global->integer > 0;
	const int64_t once = job_sequences(job, dp, local);
	const int64_t asked =
		batch ? global->integer
		      : multiply(once, setting_int(&job->settings, FIELD_GRADIENT_ACCUMULATION, 1));
	struct finding *finding;

	if (!job_does(job, HABIT_STEPS_AT_ONCE) || local < 1 || asked == once)
		return;
	finding = finding_add(job->findings, rule->id, (batch ? global : passes)->span,
			      "%s adds up no gradients of several passes: a step has %" PRId64
			      " sequences, not %" PRId64,
			      raiser(job), once, asked);
	relate_setting(job, finding, FIELD_LOCAL_BATCH_SIZE);
	if (asked % dp) {
		finding_fix(job->findings, finding,
			    "give a batch that the %" PRId64 " data-parallel ranks divide: use %s",
			    dp, multiples_around(job->arena, asked, dp));
		return;
	}
	finding_fix(job->findings, finding,
		    "take local_batch_size %" PRId64
		    ", or torchtitan from 8570415c3 (2025-06-05) on",
		    asked / dp);
	edit_setting(job, finding, fact(job, FIELD_LOCAL_BATCH_SIZE), asked / dp);
}

static const char *without_shards(const struct job *job)
{
	if (degree_of(job, FIELD_TP) > 1 || degree_of(job, FIELD_PP) > 1)
		return "tp or pp without FSDP";
	return job->applied->dense.strategy == STRATEGY_DDP ? "DDP" : "a single device";
}

static void check_mixed_precision(const struct rule *rule, struct job *job)
{
	const enum field_id fields[] = { FIELD_TP, FIELD_PP, FIELD_DP_REPLICATE,
					 FIELD_PARAM_DTYPE };
	const char *asked, *stored = casting_lost(job, &asked);
	struct finding *finding;

	if (!stored)
		return;
	finding = finding_add(job->findings, rule->id, first_place(job, fields, 4),
			      "%s trains in full %s: mixed precision to %s is applied by "
			      "fully_shard alone",
			      without_shards(job), stored, asked);
	finding_requested(job->findings, finding, "parameters and compute in %s", asked);
	finding_actual(job->findings, finding, "parameters and compute in %s", stored);
}

static void check_hsdp_offload(const struct rule *rule, struct job *job)
{
	struct finding *finding;

	if (!setting_bool(&job->settings, FIELD_CPU_OFFLOAD, false) ||
	    job->applied->dense.strategy != STRATEGY_HSDP)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_CPU_OFFLOAD)->span,
			      "CPU offload with HSDP over %" PRId64
			      " replicas: wrong gradients have been reported",
			      layout_size(&job->applied->dense.replicate));
	relate_setting(job, finding, FIELD_DP_REPLICATE);
}

static void check_gradient_scale(const struct rule *rule, struct job *job)
{
	struct finding *finding;

	if (!job_does(job, HABIT_SUMS_STAGES) || degree_of(job, FIELD_PP) < 2)
		return;
	finding =
		finding_add(job->findings, rule->id, fact(job, FIELD_PP)->span,
			    "with pp > 1 gradients are not divided by the number of tokens before "
			    "clipping: their norm is that many times larger than without pp");
	finding_requested(job->findings, finding, "gradients of the mean loss per token");
	finding_actual(job->findings, finding,
		       "gradients of the summed loss; only the loss that is "
		       "logged is divided");
}

static void check_family(const struct rule *rule, struct job *job)
{
	const struct version *version = trainer_of(job);
	const struct lacking_family *lacking =
		version && job->model
			? wing_lacks(wing_find(version->framework), job->model->family, version)
			: NULL;
	struct finding *finding;

	if (!lacking)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_MODEL_PRESET)->span,
			      "%s %s has no %s: findings about the model are what its code would "
			      "do to such a model",
			      version->framework, version->label, lacking->family);
	finding_fix(job->findings, finding, "use another version: %s", lacking->has);
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "batch-size",
		.code = "T102",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the global batch is not a whole number of micro-steps",
		.explanation =
			"A step is global / (local * data-parallel ranks) micro-steps of "
			"gradient accumulation; the data-parallel degree is dp_replicate * "
			"dp_shard (cp, tp and pp ranks see the same samples).",
		.remedy = "Use a multiple of local batch size * dp_replicate * dp_shard, or -1.",
		.source = "torchtitan train.py, Trainer.__init__",
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, check_batch },
	{ &(const struct rule_id){
		.name = "no-accumulation",
		.code = "T112",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the version adds up no gradients, and the batch asks for it",
		.explanation =
			"Gradient accumulation, and with it a global batch size, came to "
			"TorchTitan on 5 June 2025. Before, a step is one pass of each "
			"data-parallel rank over its local batch.",
		.remedy = "Make local batch size * dp_replicate * dp_shard the batch, or take a "
			  "later version.",
		.source = "torchtitan@8570415c3 (pull request 1238)",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_at_once },
	{ &(const struct rule_id){
		.name = "no-mixed-precision",
		.code = "T104",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_READ,
		.summary = "no FSDP, and so no mixed precision",
		.explanation =
			"Until 9 April 2026 TorchTitan applies mixed precision through "
			"fully_shard; without it, from 16 June 2025 on, by autocast for pure DDP "
			"and a single device. With tp or pp and neither dp_shard nor cp, and "
			"before for all without them, everything runs in the type that parameters "
			"are stored in, float32 unless training.dtype says otherwise; the log says "
			"so in one line, or not at all. From 9 March 2026 on dp_replicate does as "
			"well as dp_shard.",
		.remedy = "Use dp_shard above 1, or plan for activations twice as large and "
			  "float32 speed.",
		.source = "torchtitan@0b44d4c43 distributed/utils.py, maybe_enable_amp; "
			  "@e1847f439; @00b7f5693",
	  },
	  NEEDS_WORLD | NEEDS_TORCHTITAN | NEEDS_APPLIED, check_mixed_precision },
	{ &(const struct rule_id){
		.name = "context-parallel-attention",
		.code = "T105",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "context parallelism does not work with this attention kernel",
		.explanation =
			"v0.1.0 to v0.2.1 refuse FlexAttention with cp, v0.2.2 refuses "
			"variable-length attention, main refuses SDPA and asks for FlexAttention "
			"and the spmd_types backend.",
		.remedy = "Set cp to 1 or choose a flavour with another attention kernel.",
		.source = "torchtitan models/*/infra/parallelize.py",
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT | FOLLOWS_BLAMED, raised_check },
	{ &(const struct rule_id){
		.name = "async-tp-needs-compile",
		.code = "T106",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "async tensor parallelism without torch.compile of the model",
		.explanation =
			"Async TP is a rewrite by the compiler; TorchTitan refuses it if the "
			"model is not compiled.",
		.remedy = "Enable compile for the model, or switch async_tp off.",
		.source = "torchtitan models/llama3/infra/parallelize.py",
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, raised_check },
	{ &(const struct rule_id){
		.name = "activation-checkpoint",
		.code = "T107",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "an activation checkpointing mode or option that is not accepted",
		.explanation =
			"The mode is none, full, selective or memory_budget; selective takes "
			"\"op\" or a number k for every k-th block. Some combinations with "
			"FlexAttention or DualPipeV are refused.",
		.remedy = "Use one of the accepted modes and options.",
		.source = "torchtitan distributed/activation_checkpoint.py",
	  },
	  NEEDS_ATTEMPT, raised_check },
	{ &(const struct rule_id){
		.name = "hsdp-cpu-offload",
		.code = "T109",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "CPU offload with HSDP: wrong gradients have been reported",
		.explanation =
			"The reduced gradient is copied to the host on the stream of the "
			"all-reduce, but its buffer belongs to the stream of the reduce-scatter, "
			"which may hand it out again before the copy is done. In a model of two "
			"layers a third to a half of all backward passes were wrong. The pull "
			"request with the fix is from April 2026.",
		.remedy = "Use FSDP without replicas, or no offload.",
		.source = "https://github.com/pytorch/pytorch/pull/180665",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_hsdp_offload },
	{ &(const struct rule_id){
		.name = "model-not-in-version",
		.code = "T111",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_READ,
		.summary = "the framework's version does not have the model's family",
		.explanation =
			"TorchTitan v0.1.0 has neither qwen3 nor gpt_oss; llama4 and deepseek_v3 "
			"began as experiments in 2025 and llama4 was removed in d92336fee "
			"(2026-06-08). A plan for such a pair is valid for your own model wrapped "
			"in the same way, not for anything that upstream runs.",
		.remedy = "Use a version that has the model.",
		.source = "torchtitan models/, by version; d92336fee",
	  },
	  NEEDS_TORCHTITAN, check_family },
	{ &(const struct rule_id){
		.name = "pipeline-gradient-scale",
		.code = "T110",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "v0.2.2 with pp: gradients are not divided by the tokens of the step",
		.explanation =
			"From 0cb743558 the loss is a sum that the trainer divides by the valid "
			"tokens of the step. The pipeline schedule runs backward on the sum, and "
			"only the reported loss is divided, until 786e26f8e. Clipping then acts "
			"on a norm that is larger by the number of tokens, and AdamW hides the "
			"rest.",
		.remedy = "Use torchtitan 786e26f8e (2026-04-27) or later, or v0.2.1.",
		.source = "torchtitan@0cb743558 distributed/pipeline_parallel.py:207",
	  },
	  NEEDS_WORLD | NEEDS_TORCHTITAN | NEEDS_APPLIED, check_gradient_scale },
};
/* clang-format on */

const struct ruleset ruleset_training = {
	"training",
	"Training: batch, precision and checkpointing of activations",
	rules,
	sizeof(rules) / sizeof(*rules),
};
