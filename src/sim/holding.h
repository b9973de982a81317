#ifndef SIM_HOLDING_H
#define SIM_HOLDING_H

#include "sim/workload.h"

#include <limits.h>

/*
 * What a rank of each pipeline stage holds and gathers, taken from its plan. The first rank of a
 * stage stands for all: where a cut is uneven it has the most.
 */

/* Elements of parameters on that rank. */
struct share {
	double whole; /* computed with: what data parallelism shares is gathered, and padded */
	double kept[HELDS]; /* from step to step */
};

/* What is computed and communicated as one: the embedding, a block, or the output with its norm. */
struct holding {
	int layer; /* of the block, or one of the two below */
	struct share shares[KINDS];
	/* Elements of the FSDP units that a forward pass uses here first, and here last. */
	double first[KINDS], last[KINDS];
	bool lets_go;	   /* those units let go after the forward pass what they gathered */
	int64_t kept_over; /* and stay cut over so many ranks until the backward one; 0: over all */
};

/* Of both kinds together. */
static inline double kinds_sum(const double each[KINDS])
{
	return each[DENSE] + each[EXPERTS];
}

enum { HOLDING_EMBEDDING = -1, HOLDING_HEAD = INT_MAX };

/* Of one stage, in the order of a forward pass. */
struct holdings {
	VEC(struct holding) list;
};

/*
 * Of all stages of a plan, in the arena; of one where the plan has none. Experts that share the
 * ranks of their block count as dense.
 */
struct holdings *holdings_of(struct arena *arena, const struct plan *plan);

/* Stages of the workload's plan; 1 without a pipeline. */
int32_t holding_stages(const struct workload *work);

#endif
