#include "rules/judge.h"

#include "rules/interval.h"

void judge(const struct levels *levels, struct job *job, struct skips *skips)
{
	rules_run(job, skips);
	interval_apply(job);
	levels_apply(levels, job, skips);
}
