#ifndef FRAMEWORK_INPUTS_H
#define FRAMEWORK_INPUTS_H

#include "base/vec.h"
#include "framework/job.h"

/* Paths of the files that a job's answers depend on. */
struct inputs {
	VEC(const char *) paths;
};

/*
 * Every file a job was read with, whether it is there or not: the config, the files beside it that
 * name versions, the project's settings beside it, the hosts, the checkpoint it resumes from. Paths
 * live in job->arena.
 */
void inputs_of_job(struct inputs *inputs, const struct job *job);

#endif
