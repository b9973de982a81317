#ifndef SIM_LAYER_H
#define SIM_LAYER_H

#include "sim/workload.h"

/*
 * One transformer block on one rank for one microbatch: seconds of computing, of collectives it
 * waits for, and what it computes twice.
 */
struct pass {
	double forward, backward;
};

struct layer {
	struct pass products;  /* matrix products, casts to fp8 included */
	struct pass attention; /* the attention core */
	struct pass traffic;   /* elementwise kernels: norms, activations, residuals, rotary */
	struct pass compute; /* all of it, or what the host needs to launch it if that is longer */
	struct pass host;    /* of it, the device waits for the host; computing again counts, too */
	struct pass tensor;  /* exposed tensor-parallel collectives */
	struct pass context; /* exposed exchange of keys and values */
	struct pass expert;  /* expert-parallel all-to-alls */
	double kernels;	     /* of compute.forward: what the device takes, whatever the host does */
	double weight;	     /* of compute.backward: gradients of weights */
	double again;	     /* computed again in the backward pass */
	double last;	     /* of products forward: the last one, whose result nothing reads */
};

/* Whether gradients of weights are added to what was kept before. */
bool layer_accumulates(const struct workload *work);

/* A block without experts, or with them. */
struct layer layer_cost(const struct profile *profile, const struct workload *work, bool experts);

/* Seconds of a whole pass over a block, exposed collectives included. */
double layer_forward(const struct layer *layer);
double layer_backward(const struct layer *layer);

#endif
