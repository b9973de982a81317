#ifndef RULES_JUDGE_H
#define RULES_JUDGE_H

#include "rules/level.h"

/*
 * All that is found about a job, as check reports it: the rules run, versions that were inferred
 * lower what does not hold throughout, comments silence, levels change. Findings are sorted.
 */
void judge(const struct levels *levels, struct job *job, struct skips *skips);

#endif
