#ifndef SIM_WORKLOAD_FRAMEWORK_H
#define SIM_WORKLOAD_FRAMEWORK_H

#include "sim/workload.h"

/*
 * Whose step a workload is: the framework that trains, since when it is as it is, what it does at
 * that date, and in which types it casts the plan's parameters. The plan is there.
 */
void workload_framework(struct workload *work, const struct job *job);

#endif
