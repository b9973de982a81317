#ifndef RULES_LAUNCHES_H
#define RULES_LAUNCHES_H

#include "framework/job.h"

/*
 * A script may start several trainings, of which its dialect reads one. Each of the others is read
 * as if it were the only one, and what is wrong with it is found of the job, too; what is not known
 * of it stays with the job (job->others).
 */
void launches_judge(struct job *job);

extern const struct rule_id rule_launch_not_judged;

#endif
