#ifndef FRAMEWORK_TORCH_NOTED_H
#define FRAMEWORK_TORCH_NOTED_H

#include "framework/job.h"

/* A shard whose place in a checkpoint's metadata is not where FSDP2 has it. */
struct noted {
	const struct sharded *sharded;
	int64_t rank;
	struct box stored, noted; /* as plan_box has it; as DTensor's metadata at the job's torch */
};

/*
 * The first such shard of a job with a plan, parameter by parameter, or false: DTensor and FSDP2
 * agree on all of them. Only sizes that tensor parallelism does not divide can differ.
 */
bool noted_elsewhere(const struct job *job, struct noted *noted);

/*
 * The first parameter for which that metadata gives the same rows to two ranks, or NULL. DCP
 * refuses to save it: _validate_global_plan of torch/distributed/checkpoint/default_planner.py,
 * v2.10.0 to v2.15.0.
 */
const struct sharded *noted_twice(const struct job *job);

/* What is raised then, without the keys that PyTorch adds from 2.12 on. */
extern const char noted_twice_error[];

#endif
