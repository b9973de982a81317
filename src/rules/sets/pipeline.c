#include "base/number.h"
#include "framework/torch/pipelining.h"
#include "rules/advice.h"
#include "rules/facts.h"
#include "rules/groups.h"
#include "rules/pinned.h"
#include "rules/raised.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* How a pipeline's batch is cut, and the setting that says so. */
struct batch {
	int64_t size;  /* sequences per microbatch; 0 where microbatches are counted */
	int64_t local; /* sequences per step on one pipeline; 0: not known */
	struct pipeline_microbatches cut;
};

static bool counts_microbatches(const struct job *job)
{
	return job_does(job, HABIT_COUNTS_MICRO);
}

/* The batch of a TorchTitan job whose stages are known. */
static void batch_of(const struct job *job, struct torch_release *torch, struct batch *batch)
{
	const char *schedule = setting_text(&job->settings, FIELD_PP_SCHEDULE, "1F1B");
	const int64_t stages = (int64_t)job->applied->stages.count;

	memset(batch, 0, sizeof(*batch));
	batch->local = setting_int(&job->settings, FIELD_LOCAL_BATCH_SIZE, 0);
	if (!counts_microbatches(job))
		batch->size = setting_int(&job->settings, FIELD_PP_MICROBATCH_SIZE, 1);
	batch->cut.schedule = pipeline_schedule_find(schedule);
	batch->cut.pp = degree_of(job, FIELD_PP);
	batch->cut.stages = stages;
	batch->cut.torch = torch;
	batch->cut.microbatches = job->applied->microbatches;
}

/* No larger number is proposed. */
enum { MICROBATCHES_MOST = 1 << 16 };

/* The next number of microbatches that the schedule takes, or 0. */
static int64_t fitting_microbatches(struct job *job, const struct batch *batch)
{
	struct pipeline_microbatches cut = batch->cut;
	int64_t most;

	if (cut.microbatches >= MICROBATCHES_MOST)
		return 0;
	most = multiply(2, cut.microbatches + cut.stages);

	for (cut.microbatches++; cut.microbatches <= most && cut.microbatches <= MICROBATCHES_MOST;
	     cut.microbatches++)
		if (!pipeline_microbatches_error(job->arena, &cut))
			return cut.microbatches;
	return 0;
}

/* Microbatches are counted: more of them, and a batch that they divide. */
static void fix_count(struct job *job, struct finding *finding, const struct batch *batch,
		      int64_t fits)
{
	const int64_t local = batch->local;

	edit_setting(job, finding, fact(job, FIELD_PP_MICROBATCHES), fits);
	if (job_does(job, HABIT_COUNTS_TOKENS) || local < 1 || local % fits == 0) {
		finding_fix(job->findings, finding, "use %lld microbatches", (long long)fits);
		return;
	}
	finding_fix(job->findings, finding,
		    "use %lld microbatches and a local batch of %lld, which they divide",
		    (long long)fits, (long long)nearest_multiple(local, fits));
	edit_setting(job, finding, fact(job, FIELD_LOCAL_BATCH_SIZE),
		     nearest_multiple(local, fits));
}

/* The global batch nearest to the file's that is a whole number of steps of that local batch. */
static int64_t fitting_global(const struct job *job, int64_t local)
{
	const int64_t global = setting_int(&job->settings, FIELD_GLOBAL_BATCH_SIZE, -1);

	if (global < 1)
		return global;
	return nearest_multiple(global, multiply(local, multiply(degree_of(job, FIELD_DP_REPLICATE),
								 degree_of(job, FIELD_DP_SHARD))));
}

/* Raises the local batch, and the global one where it would no longer fit. */
static void fix_batch(struct job *job, struct finding *finding, const struct batch *batch,
		      int64_t fits)
{
	const struct setting *global = fact(job, FIELD_GLOBAL_BATCH_SIZE);
	const int64_t local = multiply(fits, batch->size), all = fitting_global(job, local);
	const char *too = "";

	edit_setting(job, finding, fact(job, FIELD_LOCAL_BATCH_SIZE), local);
	if (all > 0 && all != global->integer) {
		too = arena_printf(job->arena, " and a global batch of %lld", (long long)all);
		edit_setting(job, finding, global, all);
	}
	finding_fix(job->findings, finding,
		    "use a local batch of %lld (%lld microbatches of %lld, which %s takes)%s",
		    (long long)local, (long long)fits, (long long)batch->size,
		    batch->cut.schedule->name, too);
}

/* Smaller microbatches where the batch allows it, else a larger batch. */
static void fix_size(struct job *job, struct finding *finding, const struct batch *batch,
		     int64_t fits)
{
	if (batch->local % fits == 0) {
		finding_fix(job->findings, finding,
			    "use microbatch_size %lld: %lld microbatches, which %s takes",
			    (long long)(batch->local / fits), (long long)fits,
			    batch->cut.schedule->name);
		edit_setting(job, finding, fact(job, FIELD_PP_MICROBATCH_SIZE),
			     batch->local / fits);
		return;
	}
	fix_batch(job, finding, batch, fits);
}

/* A local batch of whole microbatches, as many as the schedule takes, near the one asked for. */
static int64_t whole_batch(struct job *job, struct batch *batch)
{
	const int64_t down = batch->cut.microbatches, size = batch->size;
	const int64_t more = fitting_microbatches(job, batch);
	const bool less = down > 0 && !pipeline_microbatches_error(job->arena, &batch->cut);

	if (less && (!more || batch->local - down * size <= more * size - batch->local))
		return down * size;
	return multiply(more, size);
}

/* The batch is not a whole number of microbatches: TorchTitan's own check. */
static void report_remainder(const struct rule *rule, struct job *job)
{
	struct torch_release release = torch_latest();
	struct finding *finding;
	struct batch batch;
	int64_t local;

	torch_release_of(job, &release);
	batch_of(job, &release, &batch);
	if (batch.size < 1 || batch.local < 1 || batch.local % batch.size == 0 ||
	    batch.local > INT32_MAX || !batch.cut.schedule) {
		raised_check(rule, job);
		return;
	}
	finding = raised_finding(rule, job,
				 "local batch size %lld is not a multiple of the microbatch size "
				 "%lld",
				 (long long)batch.local, (long long)batch.size);
	local = whole_batch(job, &batch);
	if (local < 1)
		return;
	finding_fix(job->findings, finding, "use a local batch of %lld (%lld microbatches)",
		    (long long)local, (long long)(local / batch.size));
	edit_setting(job, finding, fact(job, FIELD_LOCAL_BATCH_SIZE), local);
}

/* The place is where the microbatches come from, not the schedule. */
static void point_at_count(struct job *job, struct finding *finding)
{
	const struct setting *from = fact(job, counts_microbatches(job) ? FIELD_PP_MICROBATCHES
									: FIELD_LOCAL_BATCH_SIZE);

	if (!span_known(from->span))
		return;
	finding->span = from->span;
	finding->related.count = 0;
	relate_setting(job, finding, FIELD_PP_SCHEDULE);
	relate_setting(job, finding, FIELD_PP);
	relate_setting(job, finding, FIELD_PP_MICROBATCH_SIZE);
}

/* PyTorch's own check came with 2.7: an error only where PyTorch's version is pinned. */
static void report_count(const struct rule *rule, struct job *job, const struct batch *batch,
			 const char *words)
{
	const struct version *torch = versions_find(&job->versions, "torch");
	const struct setting *from = fact(job, FIELD_PP);
	struct finding *finding;
	int64_t fits;

	finding = finding_add(job->findings, rule->id, from->span,
			      "%lld microbatch%s not fit %s over %lld stages",
			      (long long)batch->cut.microbatches,
			      batch->cut.microbatches == 1 ? " does" : "es do",
			      batch->cut.schedule->name, (long long)batch->cut.stages);
	finding_quote(job->findings, finding, "ValueError: %s", words);
	finding->speaker = speaker(job, "torch");
	point_at_count(job, finding);
	fits = fitting_microbatches(job, batch);
	if (fits && batch->size > 0)
		fix_size(job, finding, batch, fits);
	else if (fits)
		fix_count(job, finding, batch, fits);
	if (!torch || torch->origin != VERSION_PINNED)
		finding_cap(finding, SEVERITY_WARNING);
}

/* True where the plan ends with these words, but of stages: that is another rule's. */
static bool told_elsewhere(const struct rule *rule, const struct job *job, const char *words)
{
	const struct plan_error *error = job->applied->error;

	return error && !raised(rule, job) && !strcmp(error->message, words);
}

/*
 * The schedule is built last: what it refuses is said even where something before it ends the
 * plan, as long as there are stages.
 */
static void check_microbatches(const struct rule *rule, struct job *job)
{
	const struct plan_error *error = raised(rule, job);
	struct torch_release release = torch_latest();
	const char *words;
	struct batch batch;

	if (groups_report(rule, job))
		return;
	if (error && !strstr(error->where, "torch/")) {
		report_remainder(rule, job);
		return;
	}
	if (!trainer_of(job) || degree_of(job, FIELD_PP) < 2 || !job->applied->stages.count ||
	    setting_known(fact(job, FIELD_PP_SCHEDULE_CSV)))
		return;
	torch_release_of(job, &release);
	batch_of(job, &release, &batch);
	if (!batch.cut.schedule || batch.cut.microbatches < 1 ||
	    (batch.size > 0 && batch.local % batch.size))
		return;
	words = pipeline_microbatches_error(job->arena, &batch.cut);
	if (words && !told_elsewhere(rule, job, words))
		report_count(rule, job, &batch, words);
}

enum { LAYERS_MOST = 512 };

/* layers_per_stage makes a number of stages that the ranks or the schedule do not take. */
static void fix_layers(struct job *job, struct finding *finding)
{
	const int64_t fits = job->framework->fitting_layers
				     ? job->framework->fitting_layers(job, degree_of(job, FIELD_PP))
				     : 0;

	if (!fits) {
		finding_fix(job->findings, finding,
			    "leave layers_per_stage out: the layers are then split as evenly as "
			    "they go");
		return;
	}
	finding_fix(job->findings, finding, "use layers_per_stage %lld, or leave it out",
		    (long long)fits);
	edit_setting(job, finding, fact(job, FIELD_PP_LAYERS_PER_STAGE), fits);
}

static void check_layers(const struct rule *rule, struct job *job)
{
	const struct plan_error *error = raised(rule, job);
	struct finding *finding;

	if (!error || !job->model || !error->because_count ||
	    error->because[0]->field != FIELD_PP_LAYERS_PER_STAGE ||
	    job->model->layers > LAYERS_MOST || degree_of(job, FIELD_PP) > LAYERS_MOST) {
		raised_check(rule, job);
		return;
	}
	finding =
		raised_finding(rule, job,
			       "%lld layers per stage do not split the %lld layers of %s over "
			       "pp %lld for %s",
			       (long long)error->because[0]->integer, (long long)job->model->layers,
			       model_called(job->model), (long long)degree_of(job, FIELD_PP),
			       setting_text(&job->settings, FIELD_PP_SCHEDULE, "1F1B"));
	fix_layers(job, finding);
}

/* More stages than the layers, as TorchTitan counts them, can fill. */
static void check_split(const struct rule *rule, struct job *job)
{
	const struct plan_error *error = raised(rule, job);
	const struct setting *pp = &job->settings.items[FIELD_PP];
	long long stages, layers, fits;
	struct finding *finding;

	if (!error || !job->model ||
	    sscanf(error->message,
		   "Number of stages (%lld) cannot be greater than effective layers (%lld)",
		   &stages, &layers) != 2 ||
	    stages != pp->integer) {
		check_layers(rule, job);
		return;
	}
	finding = raised_finding(rule, job,
				 "pp %lld makes %lld stages of the %lld layers of %s, which count "
				 "as %lld with embedding and output",
				 stages, stages, (long long)job->model->layers,
				 model_called(job->model), layers);
	for (fits = layers; fits > 1 && job->world % fits; fits--)
		;
	finding_fix(job->findings, finding, "use pp %lld or less, or a model of more layers", fits);
}

/* Megatron's interleaved schedule by any of its names. */
static bool is_interleaved(const char *name)
{
	const struct pipeline_schedule *schedule = pipeline_schedule_find(name);

	return schedule && schedule->by_rounds && strcmp(schedule->name, "InterleavedZeroBubble");
}

static void fix_schedule(struct job *job, struct finding *finding, const char *asked, bool virtual)
{
	if (is_interleaved(asked))
		finding_fix(job->findings, finding,
			    "set parallelism.pipeline.virtual_stages to 2 or more");
	else if (virtual && !strcasecmp(asked, "1F1B"))
		finding_fix(job->findings, finding,
			    "leave the virtual stages out, or ask for Interleaved1F1B");
	else
		finding_fix(job->findings, finding, "ask for %s, which is what runs",
			    virtual ? "Interleaved1F1B" : "1F1B");
}

/* Megatron has no names of schedules: virtual stages alone choose. */
static void check_ignored(const struct rule *rule, struct job *job)
{
	const struct setting *schedule = fact(job, FIELD_PP_SCHEDULE);
	const int64_t pp = degree_of(job, FIELD_PP);
	const int64_t stages = virtual_stages_of(job, pp);
	struct finding *finding;

	if (!setting_given(schedule) || !setting_known(schedule) || pp < 2 || stages < 1 ||
	    (stages > 1 ? is_interleaved(schedule->text) : !strcasecmp(schedule->text, "1F1B")))
		return;
	finding = finding_add(job->findings, rule->id, schedule->span,
			      "%s is asked for, but Megatron runs %s: it has no names of "
			      "schedules, and there %s",
			      schedule->text, stages > 1 ? "its interleaved 1F1B" : "plain 1F1B",
			      stages > 1 ? arena_printf(job->arena, "are %lld stages on each rank",
							(long long)stages)
					 : "is one stage on each rank");
	relate_setting(job, finding, FIELD_PP);
	relate_setting(job, finding, FIELD_PP_VIRTUAL_STAGES);
	fix_schedule(job, finding, schedule->text, stages > 1);
}

#define PIPELINE "torchtitan distributed/pipeline_parallel.py"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "pipeline-split",
		.code = "P101",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "the layers cannot be split into the stages asked for",
		.explanation =
			"Stages are a multiple of pp: one per rank for 1F1B and GPipe, two or "
			"more for interleaved and zero-bubble schedules. first_stage_less_layers "
			"and last_stage_less_layers say how many layers the embedding and the "
			"output count for. There may not be more stages than layers counted this "
			"way.",
		.remedy = "Change pp, layers_per_stage or the schedule.",
		.source = PIPELINE,
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, check_split },
	{ &(const struct rule_id){
		.name = "pipeline-schedule",
		.code = "P102",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "a pipeline schedule that does not exist or does not fit",
		.explanation =
			"Schedules are class names of torch.distributed.pipelining: 1F1B, GPipe, "
			"Interleaved1F1B, LoopedBFS, InterleavedZeroBubble, ZBVZeroBubble, "
			"DualPipeV; at TorchTitan db6b39acd they were written in lower case.",
		.remedy = "Use one of these names.",
		.source = "torch/distributed/pipelining/schedules.py, get_schedule_class",
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, raised_check },
	{ &(const struct rule_id){
		.name = "pipeline-microbatches",
		.code = "P103",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "the batch is not a whole number of microbatches the schedule accepts",
		.explanation =
			"A pipeline rank cuts its local batch into microbatches of "
			"microbatch_size sequences. From PyTorch 2.7 on 1F1B wants at least as "
			"many microbatches as stages, and so does GPipe up to 2.10 (#171462); "
			"interleaved schedules want a multiple of their rounds, max(1, "
			"microbatches / pp), up to 2.5 of pp. Megatron's interleaved schedule "
			"runs groups of microbatches (by default pp in a group), and stops in the "
			"first step if the last group has fewer than pp.",
		.remedy =
			"Raise the local batch size or lower the microbatch size; where the "
			"config gives the number of microbatches (pipeline.microbatches, on "
			"TorchTitan main and before 2025-04-07), ask for more.",
		.source = "https://github.com/pytorch/pytorch/pull/144702; Megatron-LM@d98e8a64 "
			  "core/pipeline_parallel/schedules.py:1160",
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, check_microbatches },
	{ &(const struct rule_id){
		.name = "pipeline-unsupported",
		.code = "P104",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "pipeline parallelism does not work with another setting of the config",
		.explanation =
			"v0.2.x has no pipeline split for qwen3 and gpt_oss; optimizers that step "
			"in backward, tied weights and (on main, where they are the default) CUDA "
			"graphs do not work with pp > 1.",
		.remedy = "Set pp to 1, or switch the other feature off.",
		.source = PIPELINE,
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, raised_check },
	{ &(const struct rule_id){
		.name = "pipeline-schedule-ignored",
		.code = "P105",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_READ,
		.summary = "Megatron runs another pipeline schedule than the one asked for",
		.explanation =
			"Megatron has no names of schedules. With several stages on each rank it "
			"runs interleaved 1F1B, with one stage plain 1F1B, whatever a config "
			"calls it; it has no zero-bubble schedule and no GPipe.",
		.remedy = "Say how many virtual stages there are, or name the schedule that runs.",
		.source = "Megatron-LM@d98e8a64 core/pipeline_parallel/schedules.py, "
			  "get_forward_backward_func",
	  },
	  NEEDS_ATTEMPT, check_ignored },
};
/* clang-format on */

const struct ruleset ruleset_pipeline = {
	"pipeline",
	"Pipeline parallelism",
	rules,
	sizeof(rules) / sizeof(*rules),
};
