#include "base/number.h"
#include "base/text.h"
#include "framework/resume.h"
#include "rules/facts.h"
#include "rules/pinned.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/*
 * Checkpoint formats that cannot be loaded under other degrees, in frameworks without a model of
 * their own; TorchTitan's are in framework/resume.h.
 */

/* The checkpoint that is resumed from, when its degrees are known; else NULL. */
static const struct checkpoint *saved_of(struct job *job)
{
	const struct resume *resume = resume_of(job);

	return resume && resume->checkpoint->degrees.tp > 0 ? resume->checkpoint : NULL;
}

static int64_t ranks_of(const struct degrees *d)
{
	return multiply(multiply(multiply(d->dp_replicate, d->dp_shard), multiply(d->cp, d->tp)),
			d->pp);
}

static const char *format_of(const struct job *job)
{
	return text_lower(job->arena, setting_text(&job->settings, FIELD_CHECKPOINT_FORMAT, ""));
}

/* "tp", "pp" or "ep": the first degree that differs, which such formats keep in file names. */
static const char *changed(const struct degrees *was, const struct degrees *is, int64_t *from,
			   int64_t *to)
{
	const struct {
		const char *name;
		int64_t was, is;
	} degrees[] = {
		{ "tp", was->tp, is->tp },
		{ "pp", was->pp, is->pp },
		{ "ep", was->ep, is->ep },
	};
	size_t i;

	for (i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++)
		if (degrees[i].was != degrees[i].is) {
			*from = degrees[i].was;
			*to = degrees[i].is;
			return degrees[i].name;
		}
	return NULL;
}

/* Formats that keep one file for each model-parallel rank. */
static bool by_rank(const struct job *job)
{
	if (runs_megatron(job))
		return !strcmp(format_of(job), "torch");
	return job_does(job, HABIT_FILES_BY_RANK) != NULL;
}

static void check_format(const struct rule *rule, struct job *job)
{
	const struct checkpoint *saved = saved_of(job);
	const struct degrees *is = &job->intended->degrees;
	const char *name, *axis, *mega = runs_megatron(job);
	struct finding *finding;
	int64_t from, to;

	if (!saved || !by_rank(job))
		return;
	axis = changed(&saved->degrees, is, &from, &to);
	if (!axis)
		return;
	name = mega ? "Megatron's format torch" : job_does(job, HABIT_FILES_BY_RANK)->framework;
	finding = finding_add(job->findings, rule->id, saved->span,
			      "%s keeps a file for each rank of tp, pp and ep: (%" PRId64
			      ", %" PRId64 ", %" PRId64 ") cannot be loaded as (%" PRId64
			      ", %" PRId64 ", %" PRId64 ")",
			      name, saved->degrees.tp, saved->degrees.pp, saved->degrees.ep, is->tp,
			      is->pp, is->ep);
	relate_setting(job, finding, FIELD_TP);
	relate_setting(job, finding, FIELD_PP);
	relate_setting(job, finding, FIELD_EP);
	relate_setting(job, finding, FIELD_CHECKPOINT_FORMAT);
	quote_told(rule, job, finding,
		   (const struct exception_name[]) { TELL(axis, from), TELL("to", to), TELL_END });
	if (!mega)
		finding_cap(finding, SEVERITY_WARNING);
	finding_fix(job->findings, finding, "keep %s %" PRId64 ", or %s", axis, from,
		    mega ? "convert the checkpoint to torch_dist, which reshards"
			 : "convert the checkpoint for the new degrees");
}

/* Whether optimizer state is one part for each data-parallel rank. */
static bool keeps_parts(const struct job *job)
{
	return job_does(job, HABIT_OPTIMIZER_PARTS) && !strstr(format_of(job), "universal") &&
	       setting_int(&job->settings, FIELD_ZERO_STAGE, 1) > 0;
}

/* "each part is 4 times too large" */
static const char *misfit(struct arena *arena, int64_t was, int64_t is)
{
	if (is % was == 0)
		return arena_printf(arena, "each part is %" PRId64 " times as large as it must be",
				    is / was);
	if (was % is == 0)
		return arena_printf(arena, "each part is %" PRId64 " times smaller than it must be",
				    was / is);
	return "the parts have other sizes";
}

static bool quote_parts(const struct rule *rule, struct job *job, struct finding *finding,
			int64_t was, int64_t is)
{
	const struct exception_name values[] = { TELL("was", was), TELL("is", is), TELL_END };

	return quote_told(rule, job, finding, values);
}

static void check_parts(const struct rule *rule, struct job *job)
{
	const struct checkpoint *saved = saved_of(job);
	const struct degrees *d = &job->intended->degrees;
	struct finding *finding;
	int64_t was, is;

	if (!saved || !keeps_parts(job))
		return;
	was = multiply(saved->degrees.dp_replicate, saved->degrees.dp_shard);
	is = multiply(d->dp_replicate, d->dp_shard);
	if (was == is)
		return;
	finding = finding_add(job->findings, rule->id, saved->span,
			      "the optimizer state is cut over %" PRId64
			      " data-parallel ranks, the job has %" PRId64 ": %s",
			      was, is, misfit(job->arena, was, is));
	relate_setting(job, finding, FIELD_DP_SHARD);
	relate_setting(job, finding, FIELD_WORLD);
	if (quote_parts(rule, job, finding, was, is)) {
		finding_fix(job->findings, finding,
			    "keep %" PRId64 " ranks, or convert to a universal checkpoint "
			    "(ds_to_universal.py) and write checkpoint.format: universal",
			    was);
	} else {
		finding_cap(finding, SEVERITY_WARNING);
		finding_fix(job->findings, finding,
			    "keep %" PRId64 " ranks (%" PRId64
			    " in all), load the weights alone, or use Lightning 2 and a sharded "
			    "checkpoint",
			    was, ranks_of(&saved->degrees));
	}
}

static void check_trainer(const struct rule *rule, struct job *job)
{
	const struct setting *resume = fact(job, FIELD_CHECKPOINT_RESUME);
	const int64_t tp = degree_of(job, FIELD_TP);
	struct finding *finding;

	if (!job_does(job, HABIT_HF_TRAINER) || tp < 2)
		return;
	finding = finding_add(job->findings, rule->id, resume->span,
			      "resuming with tp %" PRId64
			      " under the Trainer of transformers: it was reported to hang for 600 "
			      "s or to load a wrong state, with nothing printed",
			      tp);
	relate_setting(job, finding, FIELD_TP);
	finding_fix(job->findings, finding,
		    "save and load the model yourself (gathered weights), or train without tp");
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "format-cannot-reshard",
		.code = "R141",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "a checkpoint with files per rank is resumed with another tp, pp or ep",
		.explanation =
			"Megatron's format torch keeps a folder for each model-parallel rank and "
			"asserts that tp and pp are the ones it was written with; torch_dist "
			"reshards. nanotron and gpt-neox keep files by rank, too.",
		.remedy = "Keep the degrees, or convert the checkpoint first.",
		.source = "Megatron-LM training/checkpointing.py, check_checkpoint_args; "
			  "https://github.com/NVIDIA/Megatron-LM/issues/1517",
	  },
	  NEEDS_OTHER | NEEDS_RESUME | NEEDS_WORLD, check_format },
	{ &(const struct rule_id){
		.name = "optimizer-parts",
		.code = "R142",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the optimizer state is cut over another number of data-parallel ranks",
		.explanation =
			"DeepSpeed's ZeRO keeps one part of the optimizer state for each "
			"data-parallel rank and loads it only on the same number of ranks, unless "
			"the checkpoint is universal. Lightning 1.x did the same with FSDP and "
			"failed in the first optimizer step.",
		.remedy = "Keep the number of ranks, or convert the checkpoint.",
		.source = "deepspeed runtime/engine.py, load_checkpoint; "
			  "https://github.com/Lightning-AI/pytorch-lightning/issues/16815",
	  },
	  NEEDS_OTHER | NEEDS_RESUME | NEEDS_WORLD, check_parts },
	{ &(const struct rule_id){
		.name = "tensor-parallel-resume",
		.code = "R143",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "a checkpoint with tp is resumed under the Trainer of transformers",
		.explanation =
			"The Trainer's checkpoint code does not know that tensor-parallel ranks "
			"hold parts: users report that loading hangs or loads wrong states.",
		.remedy = "Save and load gathered weights yourself.",
		.source = "https://github.com/deepspeedai/DeepSpeed/issues/7320",
	  },
	  NEEDS_OTHER | NEEDS_RESUME, check_trainer },
};
/* clang-format on */

const struct ruleset ruleset_resume_formats = {
	"resume-formats",
	"Resuming in other frameworks' formats",
	rules,
	sizeof(rules) / sizeof(*rules),
};
