#ifndef SIM_LOOPED_H
#define SIM_LOOPED_H

#include "sim/schedule.h"

/*
 * Interleaved schedules, whose stages go round the ranks in loops: rank r holds r, r + ranks, ...
 * A group of microbatches goes through all stages of a rank before the next group does; backward
 * in the same turns, from the last stage to the first.
 */
struct looped {
	int64_t group; /* microbatches; the last group may be smaller */
	int64_t hop;   /* forward passes that a rank warms up longer than the next one */
	bool splits;   /* the backward pass: rank r does r of inputs before one of weights */
};

/* Torch's microbatches per round: there are max(1, microbatches / ranks) rounds. */
int64_t looped_round(const struct pipeline_shape *shape);

/* The condition that microbatches fill those rounds; a value of `refuses`. */
const char *looped_refuses_uneven(const struct pipeline_shape *shape);

/* Appends the computations of one rank: warm-up, forward and backward in turn, the rest. */
void looped_order(struct arena *arena, const struct pipeline_shape *shape, int64_t rank,
		  const struct looped *looped, struct actions *actions);

#endif
