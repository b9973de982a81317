#ifndef SIM_ACTIVATIONS_H
#define SIM_ACTIVATIONS_H

#include "sim/workload.h"

/*
 * Bytes that one microbatch leaves on a rank; of a block without (0) and with experts (1).
 */
struct activations {
	double kept[2];	   /* by a block, from its forward to its backward pass */
	double again[2];   /* of a block while it is computed again; 0 where none is */
	double working[2]; /* gradients beside, while a block goes backward */
	double input;	   /* by a stage, beside what its blocks keep */
	double received;   /* of a stage's input, for which a buffer waits in each microbatch */
	double returned;   /* by the last stage, for the loss */
	double head;	   /* kept by the last norm and the output projection */
	double logits;	   /* kept from the loss to its backward pass */
	double loss;	 /* logits, what the loss makes of them and their gradient, at their most */
	double apart;	 /* logits of a pass that has no backward one */
	double gradient; /* of logits, and what else the output projection makes going backward */
};

/* Bytes of a block that wait in host memory from its forward to its backward pass. */
double activations_host(const struct workload *work, bool experts);

/* Whether that is all which waits there, where anything is asked to. */
bool activations_host_known(const struct workload *work);

/* Of one microbatch of a job. */
struct activations activations_of(const struct workload *work);

/*
 * Bytes of a stage of so many that wait for all microbatches of a pipeline, of which so many are
 * simulated, from its first step on; and what a microbatch adds to them and to what blocks keep,
 * from its forward to its backward pass.
 */
double activations_waiting(const struct activations *sizes, const struct workload *work,
			   int64_t batches, int32_t stage, int32_t stages);
double activations_flight(const struct activations *sizes, const struct workload *work,
			  int32_t stage, int32_t stages);

/* What is left of it on the last stage behind its backward pass, until the pipeline's last one lets
 * all of it go. */
double activations_returned(const struct activations *sizes, const struct workload *work,
			    int64_t batches, bool ends);

#endif
