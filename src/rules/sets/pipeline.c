#include "rules/facts.h"
#include "rules/raised.h"

#include <stdio.h>
#include <string.h>

/* PyTorch's own check came with 2.7: an error only where PyTorch's version is pinned. */
static void check_microbatches(const struct rule *rule, struct job *job)
{
	const struct version *torch = versions_find(&job->versions, "torch");
	const struct plan_error *error = raised(rule, job);
	struct finding *finding;
	int i;

	if (!error || !strstr(error->where, "torch/")) {
		raised_check(rule, job);
		return;
	}
	finding = raised_finding(
		rule, job, "%s refuses this number of microbatches for the schedule %s",
		speaker(job, "torch"), setting_text(&job->settings, FIELD_PP_SCHEDULE, "1F1B"));
	finding->speaker = speaker(job, "torch");
	for (i = 1; i < error->because_count; i++)
		if (span_known(error->because[i]->span)) {
			finding->span = error->because[i]->span;
			break;
		}
	if (!torch || torch->origin != VERSION_PINNED)
		finding_cap(finding, SEVERITY_WARNING);
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
		raised_check(rule, job);
		return;
	}
	finding = raised_finding(rule, job,
				 "pp %lld makes %lld stages of the %lld layers of %s, which count "
				 "as %lld with embedding and output",
				 stages, stages, (long long)job->model->layers, job->model->name,
				 layers);
	for (fits = layers; fits > 1 && job->world % fits; fits--)
		;
	finding_fix(job->findings, finding, "use pp %lld or less, or a model of more layers", fits);
}

#define PIPELINE "torchtitan distributed/pipeline_parallel.py"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "pipeline-split",
		.code = "P101",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the layers cannot be split into the stages asked for",
		.explanation =
			"Stages are a multiple of pp: one per rank for 1F1B and GPipe, two or "
			"more for interleaved and zero-bubble schedules. Embedding and output "
			"count as layers by first_stage_less_layers and last_stage_less_layers. "
			"There may not be more stages than layers so counted.",
		.remedy = "Change pp, layers_per_stage or the schedule.",
		.source = PIPELINE,
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, check_split },
	{ &(const struct rule_id){
		.name = "pipeline-schedule",
		.code = "P102",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
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
		.evidence = EVIDENCE_READ,
		.summary = "the batch is not a whole number of microbatches the schedule accepts",
		.explanation =
			"A pipeline rank cuts its local batch into microbatches of "
			"microbatch_size sequences. From PyTorch 2.7 on 1F1B and GPipe want at "
			"least as many microbatches as stages; interleaved schedules want a "
			"multiple of their rounds.",
		.remedy =
			"Raise the local batch size or lower the microbatch size; where "
			"microbatches are counted (pipeline.microbatches, on TorchTitan main and "
			"before 2025-04-07), ask for more.",
		.source = "https://github.com/pytorch/pytorch/pull/144702",
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, check_microbatches },
	{ &(const struct rule_id){
		.name = "pipeline-unsupported",
		.code = "P104",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "pipeline parallelism is not supported with something else asked for",
		.explanation =
			"v0.2.x has no pipeline split for qwen3 and gpt_oss; optimizers that "
			"step in backward, tied weights and (on main, where they are the "
			"default) CUDA graphs do not go with pp > 1.",
		.remedy = "Set pp to 1, or switch the other feature off.",
		.source = PIPELINE,
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, raised_check },
};
/* clang-format on */

const struct ruleset ruleset_pipeline = {
	"pipeline",
	"Pipeline parallelism",
	rules,
	sizeof(rules) / sizeof(*rules),
};
