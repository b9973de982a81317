#ifndef SIM_WORKLOAD_FORMATS_H
#define SIM_WORKLOAD_FORMATS_H

#include "sim/workload.h"

/* In which types products are, and parameters and gradients stored, gathered and reduced; the
 * software and who shares the model are read before. `gpu` may be NULL. */
void workload_formats(struct workload *work, const struct profile *gpu, const struct job *job);

#endif
