#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include "sim/workload.h"

/* Bytes on the rank that holds most, at their peak. */
struct memory {
	double parameters, gradients, optimizer;
	double unsharded;   /* gathered units and reduce buffers */
	double activations; /* of all microbatches in flight */
	double temporary;   /* logits and loss, one recomputed block */
	double allocated;   /* the sum: what tensors take */
	double reserved;    /* with what the caching allocator keeps */
	double device;	    /* with context, library and communicator buffers */
	double low, high;   /* of `device`: what the config leaves open, decided either way */
	double capacity;
};

/* Never fails; `low` takes what is not said (gradients, recomputation) the sparing way. */
struct memory memory_cost(const struct profile *profile, const struct workload *work);

#endif
