#ifndef SIM_STAGE_H
#define SIM_STAGE_H

#include "base/arena.h"
#include "sim/holding.h"
#include "sim/layer.h"

/*
 * What pipeline stages are made of: units, the least that is computed and communicated as one. A
 * unit is the embedding, a block, or the output projection with the loss. Costs are of one
 * microbatch on one rank, in seconds.
 */
struct unit_cost {
	struct pass all;		     /* everything, collectives it waits for included */
	struct pass tensor, context, expert; /* of that: exposed collectives */
	struct pass host;		     /* and waiting for the host, which computing is */
	double weight;			     /* of all.backward: gradients of weights */
	struct holding holding;		     /* of its parameters; of a sum, all elements */
	double blocks[KINDS];		     /* in the unit, without and with experts */
};

struct stage_cost {
	struct unit_cost *units;
	int32_t count;
	int32_t rank;		/* of the pipeline, by the plan */
	struct unit_cost total; /* of all units */
};

struct stages {
	struct stage_cost *items;
	int32_t count;
};

/* All stages of a job, in the arena. Never fails. */
struct stages stages_cost(struct arena *arena, const struct profile *profile,
			  const struct workload *work);

/* The same without the stages' units, whose count is 0. */
struct stages stages_totals(struct arena *arena, const struct profile *profile,
			    const struct workload *work);

/* Elements of its units that let go after a forward pass what it gathered, or of those that do not.
 */
void stage_gathered(const struct stage_cost *stage, bool lets_go, double elements[KINDS]);

/* Whether a unit is a block, or several; its own parameters, after tensor and expert parallelism;
 * and the sum over its blocks of what each kind takes. */
static inline bool unit_is_block(const struct unit_cost *unit)
{
	return unit->blocks[DENSE] + unit->blocks[EXPERTS] > 0;
}

static inline double unit_elements(const struct unit_cost *unit)
{
	return unit->holding.shares[DENSE].whole + unit->holding.shares[EXPERTS].whole;
}

static inline double unit_of_blocks(const struct unit_cost *unit, const double each[KINDS])
{
	return each[DENSE] * unit->blocks[DENSE] + each[EXPERTS] * unit->blocks[EXPERTS];
}

/* Totals of the stages that one pipeline rank holds. */
struct unit_cost stages_of_rank(const struct stages *stages, int32_t rank);

#endif
