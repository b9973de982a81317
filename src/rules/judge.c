#include "rules/judge.h"

#include "base/text.h"
#include "rules/interval.h"

void judge(const struct levels *levels, struct job *job, struct skips *skips)
{
	rules_run(job, skips);
	interval_apply(job);
	levels_apply(levels, job, skips);
}

const struct finding *judge_stop(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->findings->list.count; i++) {
		const struct finding *finding = job->findings->list.items[i];
		if (finding->severity == SEVERITY_ERROR && finding->quote &&
		    finding->rule->code[0] != 'R')
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
		return finding ? finding->quote : NULL;
	return arena_printf(job->arena, "%s: %s", error->type,
			    text_join_lines(job->arena, error->message, true));
}
