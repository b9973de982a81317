#ifndef SIM_STATES_H
#define SIM_STATES_H

#include "sim/stage.h"

/*
 * Bytes that one element of a block, a table (0) or an expert (1) takes on each rank, by what is
 * kept of it: after sharding, as the framework stores it.
 */
struct states {
	double parameter[2], gradient[2], optimizer[2];
	double gathered;       /* of a unit that is gathered; 0: none ever is */
	double flat;	       /* of the buffer that it is gathered into first */
	double unreduced;      /* of a gradient from its computation to its reduction */
	double reduced;	       /* of the buffer that it is reduced in */
	double copied;	       /* of reduction buffers that stay beside the gradients */
	double bucket;	       /* bytes of one buffer that all gradients go through */
	double update[2];      /* of what the optimizer makes and lets go */
	bool gradients_let_go; /* after the step, to come again with the next backward pass */
	bool own_pool; /* gradients are allocated on a stream of their own: nothing else may take
			  their room when they are gone */
	bool root;     /* embedding and head are one unit, gathered through the whole step */
};

struct states states_of(const struct workload *work);

/* Of a unit's elements, what `each` (dense, experts) takes. */
double states_bytes(const double each[2], const struct unit_cost *unit);

#endif
