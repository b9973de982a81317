#ifndef SIM_WORKLOAD_OPEN_H
#define SIM_WORKLOAD_OPEN_H

#include "sim/workload.h"

/* What lies outside a config, and may make a step need less memory than is forecast: the lengths of
 * its data, and the launcher's own file. */
void workload_open(struct workload *work, const struct job *job);

#endif
