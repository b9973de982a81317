#ifndef SIM_STATES_H
#define SIM_STATES_H

#include "sim/stage.h"

/* Bytes that one element takes on each rank, by what is kept of it. */
struct states {
	double held[HELDS];    /* of what the plan says is kept, on the device */
	double host[HELDS];    /* and in host memory */
	double reference;      /* of the frozen model beside the trained one */
	double reference_host; /* and in host memory */
	double gathered;       /* of a unit that is gathered; 0: none ever is */
	double flat;	       /* of the buffer that it is gathered into first */
	double unreduced;      /* of a gradient from its computation to its reduction */
	double reduced;	       /* of the buffer that it is reduced in */
	double copied;	       /* of reduction buffers that stay beside the gradients */
	double bucket;	       /* bytes of one buffer that all gradients go through */
	double flattened;      /* of gradients that are reduced after the last backward pass */
	double update;	       /* of what the optimizer makes and lets go */
	double widened;	       /* and of what it makes of one kind of parameters after the other */
	bool gradients_let_go; /* after the step, to come again with the next backward pass */
	bool updates_at_once;  /* of each parameter, whose gradient waits for no other */
	bool own_pool; /* gradients are allocated on a stream of their own: nothing else may take
			  their room when they are gone */
};

struct states states_of(const struct workload *work);

/* Bytes that are kept of a unit's elements on the device, and in host memory. */
double states_bytes(const struct states *states, enum held held, const struct unit_cost *unit);
double states_host(const struct states *states, const struct workload *work,
		   const struct unit_cost *unit);

/* Bytes of buffers that a rank's gradients go through, which stay; and of gradients whose room
 * nothing else may take. */
double states_buffers(const struct states *states, const struct unit_cost *all);
double states_pool(const struct states *states, const struct unit_cost *all);

/* Bytes that the optimizer makes of a unit's state and lets go. */
double states_update(const struct states *states, const struct unit_cost *unit);

/* Bytes of the frozen model on a pipeline rank, with what of it stays gathered. */
double states_reference(const struct states *states, const struct workload *work,
			const struct stages *stages, int32_t rank);

/*
 * Bytes of a unit's gradients that wait for the optimizer's step; and, where each parameter is
 * updated inside the backward pass, those that are there together on their way.
 */
double states_waiting(const struct states *states, const struct unit_cost *unit);
double states_passing(const struct states *states, const struct workload *work,
		      const struct unit_cost *unit);

/*
 * Bytes of the buffers that BF16_Optimizer's gradients are reduced in: a bucket ends with the
 * tensor that makes it longer than 500 million elements, is flattened in fp32 and sent as bf16
 * (deepspeed@56c522386 runtime/pipe/engine.py, _bf16_reduce_grads; runtime/engine.py,
 * allreduce_no_retain, allreduce_bucket, communication_data_type). Activations are gone by then,
 * but no block of theirs is as long: the allocator keeps these beside them.
 */
double states_flattened(const struct states *states, const struct stages *stages, int32_t rank);

/* Bytes that passes without a backward one gather: their widest unit, or all of a reference model
 * that is one, with the buffer that it is gathered into, whose room nothing else may take. */
double states_apart(const struct states *states, const struct workload *work,
		    const struct stage_cost *stage);

/* Bytes of an element that the optimizer keeps beside its copy of the parameter. */
double states_moments(const struct workload *work);

#endif
