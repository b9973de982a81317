#ifndef FRAMEWORK_JOB_PLANS_H
#define FRAMEWORK_JOB_PLANS_H

#include "framework/job.h"

/* The row that executes the job: the highest claim. */
const struct framework *job_framework(const struct job *job);

/*
 * Builds the model that the settings ask for; `like`, of another job or NULL, shares its table
 * where the two are the same.
 */
struct model *job_model(struct job *job, const struct model *like);

/*
 * The intended and the applied plan, completed and checked, and their differences. Settings, world,
 * framework and model must be there.
 */
void job_make_plans(struct job *job);

#endif
