#ifndef SIM_BUILD_H
#define SIM_BUILD_H

#include "sim/prices.h"

/* A unit is gathered when the one so many earlier has been computed (FSDP2, see below). */
enum { GATHER_BEHIND = 3 };

/*
 * Turns a job into the tasks of one step: the pipeline schedule's computations in order, and
 * around them what data parallelism gathers and reduces and what pipeline ranks send.
 *
 * FSDP2 (torch/distributed/fsdp/_fully_shard of 2.4 to 2.11): a unit is gathered while the one
 * before it is computed, and not before the one three earlier is done; the backward pass goes on
 * behind a unit only when the unit before it has been reduced; without a pipeline every
 * microbatch is reduced, with one only a stage's last.
 *
 * `batches`: microbatches that are simulated.
 */
void program_build(struct program *program, const struct profile *profile,
		   const struct workload *work, const struct stages *stages,
		   const struct prices *prices, int64_t batches);

#endif
