#ifndef SIM_EXPERT_LOOP_H
#define SIM_EXPERT_LOOP_H

#include "sim/layer.h"

/*
 * What a loop over the experts of a block costs beside its products: seconds of the host and of the
 * device, of one microbatch. Launches are counted of the real modules (constants.yaml, software).
 */
struct expert_loop {
	struct pass host; /* launches, and the work of ZeRO-3 for each weight */
	double waits;	  /* forward: the device has nothing to do, while the host learns how far it
			     is */
	double swept;	  /* bytes backward: gradients as large as all tokens, or all weights */
};

struct expert_loop expert_loop_of(const struct profile *profile, const struct workload *work);

#endif
