#ifndef RULES_JUDGE_H
#define RULES_JUDGE_H

#include "rules/level.h"

/*
 * All that is found about a job, as check reports it: the rules run, versions that were inferred
 * lower what does not hold throughout, comments silence, levels change. Findings are sorted.
 */
void judge(const struct levels *levels, struct job *job, struct skips *skips);

/* The same for a file: of a script, all trainings that it starts are looked at. */
void judge_file(const struct levels *levels, struct job *job, struct skips *skips);

/*
 * Whether a judged job stops before its first step has ended, by what is found about it: an error
 * that quotes what is raised, or of a rule that always stops. What happens to checkpoints (rules of
 * the letter R) is left out.
 */
const struct finding *judge_stop(const struct job *job);

/* What stops it, as it is raised: "ValueError: ..."; NULL: nothing does. */
const char *judge_raised(const struct job *job);

#endif
