#ifndef SIM_STEP_H
#define SIM_STEP_H

#include "sim/workload.h"

/* Where the seconds of one step go, on the rank that is busy longest. */
struct step {
	double compute; /* products, attention, elementwise kernels, recomputation */
	double tensor;	/* exposed tensor-parallel collectives */
	double context; /* exposed context-parallel exchange */
	double expert;	/* expert-parallel all-to-alls */
	double data;	/* exposed data-parallel collectives */
	double bubble;	/* waiting for other pipeline stages */
	double optimizer;
	double total;
	double parameters; /* elements on this rank, experts included */
};

struct step step_cost(const struct profile *profile, const struct workload *work);

#endif
