#ifndef SIM_OVERHEAD_H
#define SIM_OVERHEAD_H

#include "sim/workload.h"

/* Bytes on a device beside a job's tensors. */
struct overhead {
	double workspaces;    /* of libraries, which the allocator counts as tensors */
	double slack;	      /* share of the tensors that the allocator holds beside them */
	double context;	      /* of the driver, with the code of kernels */
	double communicators; /* NCCL's buffers */
};

struct overhead overhead_of(const struct profile *profile, const struct workload *work);

#endif
