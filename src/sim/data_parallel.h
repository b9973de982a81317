#ifndef SIM_DATA_PARALLEL_H
#define SIM_DATA_PARALLEL_H

#include "sim/call.h"
#include "sim/engine.h"
#include "sim/stage.h"

/*
 * What data parallelism moves, and when: parameters gathered, gradients reduced, sums of copies of
 * a sharded model. Times are in seconds, of a rank, for elements of either kind; with the
 * collectives and formats of the job's software.
 */
struct data_parallel {
	const struct profile *profile;
	const struct workload *work;
	struct lane meets[KINDS], repeats[KINDS]; /* lanes of the workload's data and copies */
	enum crossed crossing;			  /* of the wider of the first two */
	enum crossed copies_crossing;
};

struct data_parallel data_parallel_of(const struct profile *profile, const struct workload *work);

/* Whether ranks meet at all over parameters or gradients. */
bool data_is_parallel(const struct workload *work);

/* Parameters are gathered before they are used, or after the optimizer; `block`: of a block. */
double data_gather(const struct data_parallel *data, const double elements[KINDS], bool block);

/*
 * What passes over a microbatch gather that have no backward one: a frozen model that is one unit
 * all at once, others what lets go behind each pass.
 */
struct data_apart {
	int64_t whole, parts; /* passes that gather all of a model, and those */
};

struct data_apart data_apart_of(const struct workload *work);

/* Elements that they gather of a stage. */
void data_elements_apart(const struct workload *work, const struct stage_cost *stage,
			 double elements[KINDS]);

/* Seconds that they wait for it: parts are gathered while others are computed. */
double data_gather_apart(const struct data_parallel *data, const struct stage_cost *stage);

/* Gradients are reduced, and scattered where state is sharded. */
double data_reduce(const struct data_parallel *data, const double elements[KINDS]);

/* Sharded gradients are summed over copies of the model (HSDP); 0 without copies. */
double data_copies(const struct data_parallel *data, const double elements[KINDS]);

/* Seconds of what data parallelism does for one unit. */
struct data_times {
	double first, last; /* its parameters are gathered, before a forward and a backward pass */
	double reduce, copies;
	double copy_out[2], copy_in; /* between buffers and parameters, by the same two passes */
};

struct data_times data_times_of(const struct data_parallel *data, const struct unit_cost *unit);

/* Whether data parallelism treats two units alike; most blocks of a stage are. */
bool data_alike(const struct unit_cost *a, const struct unit_cost *b);

/* Slowdown of what is not overlapped. */
double data_serial(const struct data_parallel *data);

/* The optimizer over the state of this rank. */
double data_optimizer(const struct data_parallel *data, const struct unit_cost *rank);

/*
 * Which units of a stage are gathered between passes over it: those that let go after a forward
 * pass (1), and those that do not (0).
 *
 * torch/distributed/fsdp/_fully_shard and torch/distributed/pipelining/stage.py, 2.4 to 2.11: a
 * backward pass lets everything go, but in a pipeline only the last one does. Gradients of weights
 * that are made apart want no parameters, and change nothing of it.
 */
struct data_gathered {
	bool here[2];
};

void data_passed(const struct workload *work, struct data_gathered *gathered, bool forward);

#endif
