#include "base/number.h"
#include "framework/torch/pipelining.h"
#include "rules/advice.h"
#include "rules/facts.h"
#include "rules/raised.h"
#include "sim/schedule.h"

#include <inttypes.h>
#include <string.h>

/* The schedule of a job that has a pipeline, or NULL. */
static const struct pipeline_schedule *schedule_of(const struct job *job)
{
	const char *name = setting_text(&job->settings, FIELD_PP_SCHEDULE, "1F1B");

	if (degree_of(job, FIELD_PP) < 2 || setting_known(fact(job, FIELD_PP_SCHEDULE_CSV)))
		return NULL;
	return pipeline_schedule_find(name);
}

static bool is_titan(const struct job *job)
{
	return trainer_of(job) != NULL;
}

/* Where a setting was written, else where the pipeline was. */
static struct span place_of(const struct job *job, const struct setting *setting)
{
	return span_known(setting->span) ? setting->span : fact(job, FIELD_PP)->span;
}

/* ---- too few microbatches, where nothing refuses them ---- */

/* A count and the setting that it comes from. */
struct count {
	int64_t microbatches, stages;
	const struct setting *from;
	int64_t unit; /* what one more microbatch adds to the setting */
};

/* A script's own: a count, or a batch in microbatches. */
static bool count_of_script(const struct job *job, struct count *count)
{
	const struct setting *counted = fact(job, FIELD_PP_MICROBATCHES);
	const int64_t dp =
		multiply(degree_of(job, FIELD_DP_REPLICATE), degree_of(job, FIELD_DP_SHARD));
	const int64_t size = setting_int(&job->settings, FIELD_PP_MICROBATCH_SIZE, 0);
	const int64_t micro = setting_int(&job->settings, FIELD_MICRO_BATCH_SIZE, 0);
	const int64_t local = setting_int(&job->settings, FIELD_LOCAL_BATCH_SIZE, 0);
	const int64_t global = setting_int(&job->settings, FIELD_GLOBAL_BATCH_SIZE, 0);

	count->from = counted;
	count->unit = 1;
	count->stages = degree_of(job, FIELD_PP);
	if (setting_known(counted)) {
		count->microbatches = counted->integer;
	} else if (size > 0 && local > 0) {
		count->from = fact(job, FIELD_LOCAL_BATCH_SIZE);
		count->unit = size;
		count->microbatches = local / size;
	} else if (micro > 0 && global > 0) {
		count->from = fact(job, FIELD_GLOBAL_BATCH_SIZE);
		count->unit = multiply(micro, dp);
		count->microbatches = global / count->unit;
	} else {
		return false;
	}
	return count->microbatches > 0;
}

static bool count_of_titan(const struct job *job, struct count *count)
{
	const bool counted = job_does(job, HABIT_COUNTS_MICRO);

	count->stages = (int64_t)job->applied->stages.count;
	count->unit = counted ? 1 : setting_int(&job->settings, FIELD_PP_MICROBATCH_SIZE, 1);
	count->from = fact(job, counted ? FIELD_PP_MICROBATCHES : FIELD_LOCAL_BATCH_SIZE);
	if (count->unit < 1 || !setting_known(count->from))
		return false;
	count->microbatches = count->from->integer / count->unit;
	return count->microbatches > 0;
}

/* What PyTorch does with too few of them: 1F1B hangs up to 2.6, later ones refuse (#144702). */
static void say_outcome(struct job *job, struct finding *finding, const struct count *count)
{
	struct torch_release torch;

	if (!torch_release_of(job, &torch)) {
		finding_actual(job->findings, finding,
			       "PyTorch's 1F1B hangs up to 2.6 and refuses from 2.7 on; elsewhere "
			       "ranks wait for most of the step");
	} else if (!torch_has(&torch, TORCH_SCHEDULE_CHECKS_MICROBATCHES)) {
		finding_actual(
			job->findings, finding,
			"the ranks wait for each other in the first step, and nothing is printed");
	} else {
		const struct pipeline_microbatches given = { pipeline_schedule_find("1F1B"),
							     count->microbatches, count->stages,
							     count->stages, &torch };
		finding_quote(job->findings, finding, "ValueError: %s",
			      pipeline_microbatches_error(job->arena, &given));
		finding->speaker = speaker(job, "torch");
	}
}

static void check_too_few(const struct rule *rule, struct job *job)
{
	const struct pipeline_schedule *schedule = schedule_of(job);
	struct finding *finding;
	struct count count = { 0 };

	if (!schedule || strcmp(schedule->name, "1F1B") != 0 || job->applied->later ||
	    !(is_titan(job) ? count_of_titan : count_of_script)(job, &count) ||
	    count.microbatches >= count.stages)
		return;
	finding = finding_add(
		job->findings, rule->id, place_of(job, count.from),
		"%" PRId64 " microbatch%s too few to fill %" PRId64 " stages under 1F1B",
		count.microbatches, count.microbatches == 1 ? " is" : "es are", count.stages);
	relate_setting(job, finding, FIELD_PP);
	if (count.from->field ==
	    FIELD_GLOBAL_BATCH_SIZE) /* other engines' words: their 1F1B runs */
		finding_cap(finding, SEVERITY_NOTE);
	say_outcome(job, finding, &count);
	finding_fix(job->findings, finding, "use %" PRId64 " microbatches or more: %s %" PRId64,
		    count.stages, count.from->spelling ? count.from->spelling : "the batch",
		    multiply(count.stages, count.unit));
	edit_setting(job, finding, count.from, multiply(count.stages, count.unit));
}

/* ---- microbatches of several sizes ---- */

static void check_uneven(const struct rule *rule, struct job *job)
{
	const struct setting *count = fact(job, FIELD_PP_MICROBATCHES);
	const struct setting *local = fact(job, FIELD_LOCAL_BATCH_SIZE);
	struct finding *finding;

	if (!schedule_of(job) || !setting_known(count) || !setting_known(local) ||
	    count->integer < 1 || local->integer < 1 || local->integer % count->integer == 0 ||
	    (is_titan(job) &&
	     (!job_does(job, HABIT_COUNTS_MICRO) || job_does(job, HABIT_COUNTS_TOKENS))))
		return;
	finding = finding_add(job->findings, rule->id, place_of(job, count),
			      "a local batch of %" PRId64 " cannot be cut into %" PRId64
			      " microbatches of one size",
			      local->integer, count->integer);
	relate_setting(job, finding, FIELD_LOCAL_BATCH_SIZE);
	if (local->integer < count->integer) {
		finding_quote(job->findings, finding,
			      "ValueError: Expecting %" PRId64 " arg_mbs but got %" PRId64,
			      count->integer, local->integer);
		finding->speaker = speaker(job, "torch");
	} else {
		finding_actual(job->findings, finding,
			       "later stages receive into buffers of the first one's size: shapes "
			       "that do not match, or a hang");
	}
	finding_fix(job->findings, finding,
		    "use a local batch of %s, or a number of microbatches among %s",
		    multiples_around(job->arena, local->integer, count->integer),
		    divisors_text(job->arena, local->integer));
	edit_setting(job, finding, local, nearest_multiple(local->integer, count->integer));
}

/* ---- schedules of the shape of a V ---- */

/* The layers per stage that make two stages per rank, or 0. */
static int64_t fitting_layers(const struct job *job)
{
	const int64_t stages = multiply(2, degree_of(job, FIELD_PP));
	int64_t layers, each;

	if (!job->model)
		return 0;
	layers = job->model->layers + setting_int(&job->settings, FIELD_PP_FIRST_STAGE_LESS, 1) +
		 setting_int(&job->settings, FIELD_PP_LAST_STAGE_LESS, 1);
	each = layers / stages + (layers % stages > 0);
	return each > 0 && layers / each + (layers % each > 0) == stages ? each : 0;
}

static void check_v(const struct rule *rule, struct job *job)
{
	const struct pipeline_schedule *schedule = schedule_of(job);
	const struct setting *virtual = fact(job, FIELD_PP_VIRTUAL_STAGES);
	const struct torch_release torch = torch_latest();
	struct pipeline_microbatches given = { .pp = degree_of(job, FIELD_PP), .torch = &torch };
	struct finding *finding;
	int64_t each;

	if (raised(rule, job)) {
		finding = raised_finding(rule, job, "%s wants exactly two stages on each rank",
					 setting_text(&job->settings, FIELD_PP_SCHEDULE, ""));
		each = fitting_layers(job);
		if (!each || !setting_known(fact(job, FIELD_PP_LAYERS_PER_STAGE)))
			return;
		finding_fix(job->findings, finding,
			    "use layers_per_stage %" PRId64 ", which makes %" PRId64 " stages",
			    each, multiply(2, degree_of(job, FIELD_PP)));
		edit_setting(job, finding, fact(job, FIELD_PP_LAYERS_PER_STAGE), each);
		return;
	}
	if (!schedule || !schedule->v || is_titan(job) || !setting_known(virtual) ||
	    virtual->integer == 2)
		return;
	finding = finding_add(job->findings, rule->id, virtual->span,
			      "%s wants exactly two stages on each rank, not %" PRId64,
			      schedule->name, virtual->integer);
	relate_setting(job, finding, FIELD_PP_SCHEDULE);
	finding_cap(finding, SEVERITY_WARNING);
	given.schedule = schedule;
	given.stages = multiply(given.pp, virtual->integer);
	finding_quote(job->findings, finding, "ValueError: %s",
		      pipeline_microbatches_error(job->arena, &given));
	finding->speaker = speaker(job, "torch");
	edit_setting(job, finding, virtual, 2);
}

/* TorchTitan gave every schedule's stages out in a loop at first (torchtitan#774). */
static void check_v_order(const struct rule *rule, struct job *job)
{
	const struct pipeline_schedule *schedule = schedule_of(job);

	if (!schedule || !schedule->v || !job_loops(job, schedule->name))
		return;
	finding_add(job->findings, rule->id, place_of(job, fact(job, FIELD_PP_SCHEDULE)),
		    "%s wants stages r and 2 * pp - 1 - r on rank r; torchtitan %s gives it r and "
		    "r + pp",
		    schedule->name, trainer_of(job)->label);
}

/* ---- schedules that split the backward pass ---- */

static bool splits(const struct pipeline_schedule *schedule)
{
	const struct schedule *order = schedule ? schedule_find(schedule->name) : NULL;

	return order && order->splits;
}

static bool model_compiled(const struct job *job)
{
	const struct setting *components = fact(job, FIELD_COMPILE_COMPONENTS);

	return setting_bool(&job->settings, FIELD_COMPILE, false) &&
	       (!setting_known(components) ||
		setting_lists(&job->settings, FIELD_COMPILE_COMPONENTS, "model"));
}

/*
 * From pytorch#162511 on the schedule looks for an OptimizedModule in its stages; TorchTitan's
 * blocks were ones up to v0.2.2 (models/llama3/infra/parallelize.py, apply_compile).
 */
static void check_compile(const struct rule *rule, struct job *job)
{
	const struct pipeline_schedule *schedule = schedule_of(job);
	struct torch_release torch;
	struct finding *finding;
	const char *refused;

	if (!splits(schedule) || !model_compiled(job) || !torch_release_of(job, &torch))
		return;
	refused = pipeline_compiled_error(job->arena, &torch, schedule);
	finding = finding_add(job->findings, rule->id, place_of(job, fact(job, FIELD_PP_SCHEDULE)),
			      "%s splits the backward pass, which does not go with torch.compile "
			      "of the model",
			      setting_text(&job->settings, FIELD_PP_SCHEDULE, ""));
	relate_setting(job, finding, FIELD_COMPILE);
	if (refused) {
		finding_quote(job->findings, finding, "RuntimeError: %s", refused);
		finding->speaker = speaker(job, "torch");
	}
	if (!refused || !job_does(job, HABIT_COMPILES_ITSELF) ||
	    versions_find(&job->versions, "torch")->origin != VERSION_PINNED)
		finding_cap(finding, SEVERITY_WARNING);
}

static void check_flex(const struct rule *rule, struct job *job)
{
	struct finding *finding;

	if (!splits(schedule_of(job)) || !job->model || !job->model->attention ||
	    strcmp(job->model->attention, "flex") != 0)
		return;
	finding = finding_add(
		job->findings, rule->id, place_of(job, fact(job, FIELD_PP_SCHEDULE)),
		"%s splits the backward pass, and the FlexAttention of %s is compiled: "
		"reported to fail in the first step",
		setting_text(&job->settings, FIELD_PP_SCHEDULE, ""), model_called(job->model));
	if (span_known(job->model->span))
		finding_relate(job->findings, finding, job->model->span, "FlexAttention");
}

/* ---- gathering for every microbatch ---- */

static void check_reshard(const struct rule *rule, struct job *job)
{
	const struct setting *policy = fact(job, FIELD_RESHARD_AFTER_FORWARD);
	const enum strategy strategy = job->applied->dense.strategy;
	struct finding *finding;
	struct count count = { 0 };

	if (!schedule_of(job) ||
	    strcmp(setting_text(&job->settings, policy->field, ""), "always") ||
	    strategy == STRATEGY_NONE || strategy == STRATEGY_DDP)
		return;
	finding = finding_add(job->findings, rule->id, policy->span,
			      "parameters are freed after every microbatch's forward and gathered "
			      "again for its backward");
	relate_setting(job, finding, FIELD_PP);
	if (policy->origin == ORIGIN_GIVEN && policy->span.source == job->document.source)
		finding_edit(job->findings, finding, policy->span, "\"default\"");
	if ((is_titan(job) ? count_of_titan : count_of_script)(job, &count))
		finding_consequence(job->findings, finding,
				    "%" PRId64 " microbatches: up to %" PRId64
				    " all-gathers of each unit per step instead of 1",
				    count.microbatches, multiply(2, count.microbatches));
}

static const struct saying uneven_says[] = {
	{ "torch", "ValueError: Expecting {n} arg_mbs but got {n}" },
	{ NULL, NULL },
};

static const struct saying compile_says[] = {
	{ "torch up to 2.9", "RuntimeError: The Zero Bubble schedule is not supported with stage "
			     "modules that have used torch.compile" },
	{ NULL, NULL },
};
#define SCHEDULES "torch distributed/pipelining/schedules.py"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "pipeline-too-few-microbatches",
		.code = "P121",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "1F1B has fewer microbatches than stages, and nothing refuses it",
		.explanation =
			"1F1B starts as many forwards as there are stages. With fewer "
			"microbatches, its ranks wait for each other for ever up to PyTorch 2.6; "
			"later versions refuse. pipeline-microbatches reports the refusal for a "
			"framework that parplan models. Without a framework, parplan compares the "
			"number with pp.",
		.remedy = "Use at least as many microbatches as stages.",
		.source = "https://github.com/pytorch/torchtitan/issues/775",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_too_few },
	{ &(const struct rule_id){
		.name = "pipeline-uneven-microbatches",
		.code = "P122",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "the batch cannot be cut into that many equal microbatches",
		.explanation =
			"A batch of 8 in 3 microbatches becomes 3, 3 and 2. Stages exchange "
			"activations in buffers of the first one's size, so the last one does not "
			"fit. TorchTitan counted microbatches until 2025-04-07 and checked "
			"nothing.",
		.remedy = "Use a number of microbatches that divides the local batch.",
		.source = "https://github.com/pytorch/pytorch/issues/126600",
		.says = uneven_says,
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_uneven },
	{ &(const struct rule_id){
		.name = "pipeline-v-stages",
		.code = "P123",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "ZBVZeroBubble and DualPipeV want two stages on each rank",
		.explanation =
			"Both schedules go down the ranks and up again: rank r holds the stages r "
			"and 2 * pp - 1 - r, no more and no fewer. The exception says ZBV for "
			"DualPipeV, too.",
		.remedy = "Use a number of layers per stage that makes 2 * pp stages.",
		.source = SCHEDULES ", ScheduleZBVZeroBubble and ScheduleDualPipeV",
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, check_v },
	{ &(const struct rule_id){
		.name = "pipeline-v-order",
		.code = "P124",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "TorchTitan of January 2025 gives V schedules the wrong stages",
		.explanation =
			"ZBVZeroBubble came to PyTorch in December 2024, but TorchTitan gave out "
			"stages in a loop for every schedule, so the schedule looks for stages "
			"that the rank does not hold (a KeyError).",
		.remedy = "Use TorchTitan v0.1.0 or later.",
		.source = "https://github.com/pytorch/torchtitan/issues/774",
	  },
	  NEEDS_WORLD | NEEDS_TORCHTITAN | NEEDS_APPLIED, check_v_order },
	{ &(const struct rule_id){
		.name = "pipeline-split-backward-compile",
		.code = "P125",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "zero-bubble schedules do not work with torch.compile",
		.explanation =
			"InterleavedZeroBubble, ZBVZeroBubble and DualPipeV compute gradients of "
			"inputs and of weights separately, which compiled modules cannot do. "
			"PyTorch 2.10 and later look for compiled modules anywhere in a stage and "
			"refuse; earlier ones look at the stage alone, and fail in the first "
			"step.",
		.remedy = "Switch compile off, or use Interleaved1F1B.",
		.source = "https://github.com/pytorch/pytorch/pull/162511",
		.says = compile_says,
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_compile },
	{ &(const struct rule_id){
		.name = "pipeline-split-backward-flex",
		.code = "P126",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "zero-bubble schedules do not work with FlexAttention",
		.explanation =
			"FlexAttention is compiled even where the model is not, and its block "
			"mask is not a tensor: in 2026 users reported that schedules that split "
			"the backward pass fail with it, and that Interleaved1F1B works.",
		.remedy = "Use Interleaved1F1B, or a flavour with another attention kernel.",
		.source = "https://github.com/pytorch/torchtitan/issues/3584",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_flex },
	{ &(const struct rule_id){
		.name = "pipeline-reshard",
		.code = "P127",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_READ,
		.summary = "FSDP gathers parameters again for every microbatch",
		.explanation =
			"With reshard_after_forward every microbatch's forward frees what it "
			"gathered, and its backward gathers it again. TorchTitan's default keeps "
			"parameters gathered under pp > 1; gradients are reduced once in either "
			"case.",
		.remedy = "Use the default, unless memory is short.",
		.source = "torchtitan models/llama3/infra/parallelize.py, apply_fsdp",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_reshard },
};
/* clang-format on */

const struct ruleset ruleset_schedules = {
	"schedules",
	"Pipeline schedules",
	rules,
	sizeof(rules) / sizeof(*rules),
};
