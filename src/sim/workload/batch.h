#ifndef SIM_WORKLOAD_BATCH_H
#define SIM_WORKLOAD_BATCH_H

#include "sim/workload.h"

/* A setting that is a number above 0, or another one. */
int64_t workload_whole(const struct job *job, enum field_id field, int64_t otherwise);

/* Reads how many sequences a step, a microbatch and a pipeline of it have; dp and pp are known. */
void workload_batch(struct workload *work, const struct job *job);

/* That a step or a microbatch of so many tokens has no whole sequences, in a sentence; or NULL. */
const char *workload_torn(const struct job *job);

#endif
