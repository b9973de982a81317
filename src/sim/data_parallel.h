#ifndef SIM_DATA_PARALLEL_H
#define SIM_DATA_PARALLEL_H

#include "cost/network.h"
#include "sim/engine.h"
#include "sim/stage.h"

/*
 * What data parallelism moves: parameters gathered, gradients reduced, sums of copies of a
 * sharded model. Times are in seconds, for the parameters of one unit on one rank, with the
 * collectives and formats of the job's software.
 */
struct data_parallel {
	const struct profile *profile;
	const struct workload *work;
	struct lane dense, experts, copies; /* their groups */
	int64_t ranks, expert_ranks;	    /* of the groups that share state */
	enum crossed crossing;		    /* of the wider of the first two */
	enum crossed copies_crossing;
};

struct data_parallel data_parallel_of(const struct profile *profile, const struct workload *work);

/* Parameters are gathered before they are used, or after the optimizer. */
double data_gather(const struct data_parallel *data, const struct unit_cost *unit);

/* Gradients are reduced, and scattered where state is sharded. */
double data_reduce(const struct data_parallel *data, const struct unit_cost *unit);

/* Sharded gradients are summed over copies of the model (HSDP); 0 without copies. */
double data_copies(const struct data_parallel *data, const struct unit_cost *unit);

/* Copies of a unit's parameters out of, and of its gradients into, FSDP2's buffers. */
struct pass data_buffers(const struct data_parallel *data, const struct unit_cost *unit);

/* Slowdown of what is not overlapped. */
double data_serial(const struct data_parallel *data);

/* The optimizer over the state of this rank. */
double data_optimizer(const struct data_parallel *data, const struct unit_cost *rank);

#endif
