#ifndef SIM_WORKLOAD_ATTENTION_H
#define SIM_WORKLOAD_ATTENTION_H

#include "sim/workload.h"

/*
 * Fills in by whose kernels the attention core is computed, of a workload whose software, formats
 * and batch are known. `gpu` may be NULL: then what hangs on it is as on the oldest device.
 */
void workload_attention(struct workload *work, const struct profile *gpu, const struct job *job);

/* Whether scale, mask and softmax of a microbatch are kernels of their own. */
bool workload_chains(const struct workload *work);

#endif
