#include "rules/groups.h"

#include "base/number.h"
#include "rules/advice.h"
#include "rules/facts.h"
#include "rules/pinned.h"
#include "rules/raised.h"

/* The step of a Megatron job under the interleaved schedule; its data-parallel ranks, or 0. */
static int64_t step_of(const struct job *job, struct interleaved_step *step)
{
	const struct degrees *d = &job->applied->degrees;
	const int64_t dp = multiply(d->dp_replicate, d->dp_shard);

	const struct wing *wing = wing_of_pipelines(job);

	return wing && dp > 0 && wing->interleaves(job, d->pp, dp, step) ? dp : 0;
}

/* A global batch of whole groups; a group that is out of its bounds is what to change. */
static void fix_groups(struct job *job, struct finding *finding,
		       const struct interleaved_step *step, int64_t dp)
{
	const struct setting *global = fact(job, FIELD_GLOBAL_BATCH_SIZE);
	const int64_t micro = setting_int(&job->settings, FIELD_MICRO_BATCH_SIZE, 1);
	const int64_t group = step->group < step->pp ? step->pp : step->group;
	const int64_t unit = multiply(multiply(micro, dp), group);

	if (step->group < step->pp) {
		finding_fix(job->findings, finding,
			    "leave the size of the groups out: it is then pp, %lld",
			    (long long)step->pp);
		edit_setting(job, finding, fact(job, FIELD_PP_MICROBATCH_GROUP), step->pp);
		return;
	}
	if (setting_known(fact(job, FIELD_RAMPUP_BATCH_SIZE))) {
		finding_fix(job->findings, finding,
			    "let the batch start at a multiple of %lld, and grow by one",
			    (long long)unit);
		return;
	}
	finding_fix(job->findings, finding, "use a global batch of %s",
		    multiples_around(job->arena, global->integer, unit));
	edit_setting(job, finding, global, nearest_multiple(global->integer, unit));
}

/* "125 microbatches leave 5 over in groups of 8", or why there is no such group. */
static const char *sentence(struct job *job, const struct interleaved_step *step)
{
	const long long count = step->microbatches, group = step->group, pp = step->pp;

	if (group < pp)
		return arena_printf(job->arena,
				    "groups of %lld microbatches are smaller than pp %lld", group,
				    pp);
	if (count < group)
		return arena_printf(job->arena,
				    "%lld microbatch%s a group of %lld for the interleaved "
				    "schedule over pp %lld",
				    count, count == 1 ? " does not fill" : "es do not fill", group,
				    pp);
	return arena_printf(job->arena,
			    "%lld microbatches leave %lld over in groups of %lld, which the "
			    "interleaved schedule over pp %lld does not take",
			    count, count % group, group, pp);
}

static void report_raised(const struct rule *rule, struct job *job)
{
	struct interleaved_step step;
	const int64_t dp = step_of(job, &step);

	if (dp)
		fix_groups(job, raised_finding(rule, job, "%s", sentence(job, &step)), &step, dp);
	else
		raised_check(rule, job);
}

/* parplan's own form does not say how large groups are: by default it stops, told otherwise not. */
static void warn_of_groups(const struct rule *rule, struct job *job)
{
	struct interleaved_step step;
	const int64_t dp = step_of(job, &step);
	struct finding *finding;

	if (!dp || job->applied->later || job_says_all(job) || step.grouped ||
	    step.microbatches % step.pp == 0)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_GLOBAL_BATCH_SIZE)->span,
			      "%s", sentence(job, &step));
	relate_setting(job, finding, FIELD_PP);
	relate_setting(job, finding, FIELD_PP_VIRTUAL_STAGES);
	finding_cap(finding, SEVERITY_WARNING);
	finding_actual(job->findings, finding,
		       "Megatron stops in the first step, unless "
		       "parallelism.pipeline.microbatch_group_size is not the default, pp");
	fix_groups(job, finding, &step, dp);
}

bool groups_report(const struct rule *rule, struct job *job)
{
	if (!runs_megatron(job))
		return false;
	if (raised(rule, job))
		report_raised(rule, job);
	else
		warn_of_groups(rule, job);
	return true;
}
