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
 * What stops a job that nobody has judged before its first step has ended, as a plan has an error,
 * by the levels of its project's settings; its findings are then all that check has. NULL: nothing
 * stops it, and findings are as they were.
 */
const struct plan_error *judge_error(struct job *job);

/*
 * Why it is not known whether a judged job stops where its plan does: "HEAD; not under v0.2.0,
 * which fits as well". NULL: its plan does not stop, or does so in all versions that fit.
 */
const char *judge_doubt(const struct job *job);

/* What stops a judged job, as it is raised: "ValueError: ..."; NULL: nothing does. */
const char *judge_raised(const struct job *job);

#endif
