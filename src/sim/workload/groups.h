#ifndef SIM_WORKLOAD_GROUPS_H
#define SIM_WORKLOAD_GROUPS_H

#include "sim/workload.h"

/*
 * Fills the groups of a workload from its plan: who meets along each axis, who shares and who
 * repeats parameters of either kind, and how many ranks that makes.
 */
void workload_groups(struct workload *work);

#endif
