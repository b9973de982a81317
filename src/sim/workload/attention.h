#ifndef SIM_WORKLOAD_ATTENTION_H
#define SIM_WORKLOAD_ATTENTION_H

#include "cost/attention.h"
#include "sim/workload.h"

/*
 * Fills in by whose kernels the attention core is computed, of a workload whose software, formats
 * and batch are known. `gpu` may be NULL: then what hangs on it is as on the oldest device.
 */
void workload_attention(struct workload *work, const struct profile *gpu, const struct job *job);

/* Of the blocks the share that has a window, where sequences are as long. */
double workload_windows(const struct workload *work);

/* Masks of all pairs of a sequence's tokens that such a block keeps, for each sequence; 0: its
 * kernel knows windows, or writes scores. */
double workload_window_masks(const struct workload *work);

/* Seconds of the attention core of one block on a rank: the mean of all blocks, of which some may
 * have a window. */
struct attention_time workload_core_time(const struct workload *work,
					 const struct profile *profile);

/* Whether scale, mask and softmax of a microbatch are kernels of their own. */
bool workload_chains(const struct workload *work);

#endif
