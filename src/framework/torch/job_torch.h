#ifndef FRAMEWORK_TORCH_JOB_TORCH_H
#define FRAMEWORK_TORCH_JOB_TORCH_H

#include "framework/job.h"
#include "framework/torch/release.h"

/* The PyTorch a job runs on: the pinned one or a companion's, else the newest. */
struct torch_release torch_of_job(const struct job *job);

#endif
