#ifndef SIM_WORKLOAD_OBJECTIVE_H
#define SIM_WORKLOAD_OBJECTIVE_H

#include "sim/workload.h"

/*
 * What a job is trained for, and what follows: sequences of each sample, passes without a backward
 * one, a frozen model beside the trained one, what stands in place of logits. An objective is a row
 * of the table here; wings put its name, and where their framework has the frozen model.
 */
void objective_put(struct workload *workload, const struct job *job);

/* "16 sequences", or "16 pairs of sequences": so many of what batches count, in the arena;
 * sequences where that is not known. */
const char *objective_samples(struct arena *arena, const struct job *job, int64_t count);

/* What of it is not known, or not modelled; NULL: nothing. */
const char *objective_lacks(const struct job *job);

#endif
