#include "rules/judge.h"

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
