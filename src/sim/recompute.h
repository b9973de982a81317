#ifndef SIM_RECOMPUTE_H
#define SIM_RECOMPUTE_H

#include "sim/workload.h"

/* What is said of activation checkpointing: "", and one layer, where nothing is. */
struct recompute_said {
	const char *mode, *option, *method;
	int64_t layers;
};

/* Puts it into a workload whose software is known. */
void recompute_put(struct workload *work, const struct recompute_said *said);

/* The same of what the settings of a job say, and where what is kept waits. */
void recompute_read(struct workload *work, const struct job *job);

/* Whether what is computed again depends on the layers of a stage. */
bool recompute_by_stage(const struct workload *work);

/* The share of blocks whose forward pass is run again as a whole. */
double recompute_share(const struct workload *work);

/* Blocks of which one input is kept, and which are all there while their gradients are made. */
double recompute_unit(const struct workload *work);

#endif
