#include "rules/judge.h"

#include "base/text.h"
#include "rules/interval.h"
#include "rules/launches.h"

/* Nothing is forecast of a job that stops (rules of the letter E). */
static void drop_forecasts(struct job *job)
{
	struct findings *findings = job->findings;
	size_t i, kept = 0;

	for (i = 0; i < findings->list.count; i++)
		if (findings->list.items[i]->rule->code[0] != 'E')
			findings->list.items[kept++] = findings->list.items[i];
	findings->list.count = kept;
}

static void finish(const struct levels *levels, struct job *job, const struct skips *skips)
{
	levels_apply(levels, job, skips);
	if (judge_stop(job))
		drop_forecasts(job);
}

void judge(const struct levels *levels, struct job *job, struct skips *skips)
{
	rules_run(job, skips);
	interval_apply(job);
	finish(levels, job, skips);
}

void judge_file(const struct levels *levels, struct job *job, struct skips *skips)
{
	rules_run(job, skips);
	interval_apply(job);
	launches_judge(job);
	finish(levels, job, skips);
}

const struct finding *judge_stop(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->findings->list.count; i++) {
		const struct finding *finding = job->findings->list.items[i];
		if (finding->severity == SEVERITY_ERROR &&
		    (finding->quote || finding->rule->stops) && finding->rule->code[0] != 'R')
			return finding;
	}
	return NULL;
}

const char *judge_raised(const struct job *job)
{
	const struct plan *plan = job->applied;
	const struct finding *finding = judge_stop(job);
	const struct plan_error *error = plan ? plan->error : NULL;

	if (!error && plan && finding)
		error = plan->later;
	if (!error)
		return !finding ? NULL : finding->quote ? finding->quote : finding->message;
	return arena_printf(job->arena, "%s: %s", error->type,
			    text_join_lines(job->arena, error->message, true));
}
