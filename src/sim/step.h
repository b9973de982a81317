#ifndef SIM_STEP_H
#define SIM_STEP_H

#include "sim/engine.h"
#include "sim/stage.h"

/* Where the seconds of one step go, on the rank that is busy longest. */
struct step {
	double compute; /* products, attention, elementwise kernels, recomputation */
	double host;	/* of that, the device waits for the host to launch what it computes */
	double tensor;	/* exposed tensor-parallel collectives */
	double context; /* exposed context-parallel exchange */
	double expert;	/* expert-parallel all-to-alls */
	double data;	/* exposed data-parallel collectives, and what hidden ones slow down */
	double bubble;	/* waiting for other pipeline stages */
	double optimizer;
	double total; /* the sum */
};

/* A simulated step and what it was made from; all of it lives in the arena. */
struct run {
	struct stages stages;
	struct program program; /* tasks with their times */
	int64_t batches;	/* microbatches that were simulated; the others are like the last */
	double passes;		/* over each microbatch, of a TASK_APART */
	int64_t end;		/* ticks */
	int32_t busiest;	/* pipeline rank */
	struct step step;	/* of all microbatches */
};

/* Seconds of collectives that a computing task waits for. */
struct exchange {
	double tensor, context, expert;
};

/* The seconds of a step from which on a part of it is worth a name. */
double step_worth_naming(const struct step *step);

/* What a step computes where the host is what it waits for, as a report names it. */
const char *step_host_name(const struct workload *work);

struct exchange exchange_of(const struct run *run, const struct task *task);

/*
 * Microbatches of a workload that are simulated; the others are like the last. Known before
 * anything is allocated: times the stages of the plan, it is what a simulation costs.
 */
int64_t step_batches(const struct workload *work);

/* Simulates one step. */
struct run step_run(struct arena *arena, const struct profile *profile,
		    const struct workload *work);

/* The same with the stages_cost of that workload, which somebody has made. */
struct run step_run_on(struct arena *arena, const struct profile *profile,
		       const struct workload *work, const struct stages *stages);

/* Bytes of the calls that a task is, as nccl-tests counts them; 0 of computing. */
double task_bytes(const struct run *run, const struct workload *work, const struct task *task);

#endif
