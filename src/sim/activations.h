#ifndef SIM_ACTIVATIONS_H
#define SIM_ACTIVATIONS_H

#include "sim/workload.h"

/* Bytes that forward passes leave on the rank that holds most. */
struct activations {
	double kept;   /* by the blocks, for all microbatches in flight */
	double block;  /* one block while it is computed again; 0 where none is */
	double logits; /* output and loss, where the rank has them */
};

/* Bytes that one block keeps per token of this rank for its backward pass. */
double activations_block(const struct workload *work, bool experts);

/* The first stage or the last, whichever holds more. */
struct activations activations_cost(const struct workload *work);

#endif
