#ifndef SIM_BLOCK_H
#define SIM_BLOCK_H

#include "sim/workload.h"

/* What a block of the model keeps from its forward to its backward pass, recomputation aside. */

/* Bytes per token of this rank. */
double activations_block(const struct workload *work, bool experts);

/* Of it what is computed again where modules are: of attention with its norm, and of the rest. */
struct discarded {
	double attention, rest;
};

struct discarded block_discarded(const struct workload *work, bool experts);

/* Of it the attention scores, and what is made of them, where they are written. */
double block_scores(const struct workload *work);

/*
 * Bytes per element of the input of a norm, of the residual `stream` or of queries and keys; what
 * it makes is the input of a product, and counts there. One kernel keeps its input. PyTorch's
 * operators keep it in fp32, and what they weight; transformers weights in the type of the input
 * but for some families. Under autocast the stream is in fp32, and all of them keep it as it is.
 * Counted of the real modules by tests/oracle/of/transformers/memory.py and, of TorchTitan v0.2.2,
 * the same way.
 */
double block_norm(const struct workload *work, bool stream);

/* Elements of all parameters of such a block on a rank; 0 without a plan. */
double block_elements(const struct workload *work, bool experts);

/* Bytes of its weights in 16 bits that autocast made for its products. */
double block_casts(const struct workload *work, bool experts);

#endif
