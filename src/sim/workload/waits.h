#ifndef SIM_WORKLOAD_WAITS_H
#define SIM_WORKLOAD_WAITS_H

#include "sim/workload.h"

/* Reads whether FSDP, where it reduces gradients at all, does so after a step's last pass alone. */
void workload_waits(struct workload *work, const struct job *job);

#endif
