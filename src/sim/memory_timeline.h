#ifndef SIM_MEMORY_TIMELINE_H
#define SIM_MEMORY_TIMELINE_H

#include "sim/activations.h"
#include "sim/states.h"
#include "sim/step.h"

/* What bytes are, in the order of tables. Those up to MEMORY_TENSORS come from the allocator. */
enum memory_part {
	MEMORY_PARAMETERS,
	MEMORY_REFERENCE, /* a frozen model beside the trained one */
	MEMORY_GRADIENTS,
	MEMORY_OPTIMIZER,
	MEMORY_UNSHARDED,   /* gathered units */
	MEMORY_REDUCE,	    /* unsharded gradients and the buffers they are reduced in */
	MEMORY_ACTIVATIONS, /* of all microbatches in flight */
	MEMORY_RECOMPUTED,  /* a block computed again, gradients inside a block */
	MEMORY_LOSS,	    /* logits, what the loss makes of them, their gradient */
	MEMORY_UPDATE,	    /* what the optimizer makes and lets go */
	MEMORY_WORKSPACES,  /* of libraries, from the allocator */
	MEMORY_TENSORS,
	MEMORY_SLACK = MEMORY_TENSORS, /* held by the allocator, in no tensor */
	MEMORY_CONTEXT,		       /* of the driver, code of kernels */
	MEMORY_COMMUNICATORS,	       /* NCCL's buffers */
	MEMORY_PARTS
};

/* What is alive on a rank at one time of the simulated step. */
struct memory_moment {
	int64_t time;	 /* ticks of the run */
	int32_t task;	 /* of the program: what runs; NO_TASK before the first */
	int32_t unit;	 /* of the task's stage, or -1 */
	int32_t flights; /* microbatches whose activations are there, summed over stages */
	double parts[MEMORY_PARTS];
	double total; /* of the tensors */
	double flat;  /* of them, buffers that units are gathered into */
};

struct memory_timeline {
	VEC(struct memory_moment) moments; /* the fullest of each stretch of time, in order */
	struct memory_moment peak;
	double pool; /* bytes of gradients whose room nothing else may take; 0 if any may */
	double flat; /* the most of such buffers at a time: nothing else may take their room, either
		      */
	double left; /* transient bytes alive at the end of the step: 0 */
};

/* What a walk needs to know of a job. */
struct memory_sizes {
	const struct workload *work;
	struct states states;
	struct activations activations;
	double workspaces;
};

/*
 * Walks the tasks of one pipeline rank in time. `stretches`: into how many the step is cut for
 * `moments`, 0 for none of them. The states that never go are in every moment.
 */
struct memory_timeline memory_timeline_of(struct arena *arena, const struct memory_sizes *sizes,
					  const struct run *run, int32_t rank, int32_t stretches);

#endif
