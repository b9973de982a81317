#ifndef SIM_INTERVAL_H
#define SIM_INTERVAL_H

#include "sim/step.h"

/*
 * Half-width of the interval in which four measured step times of five lie, as a share of the
 * forecast: wider for what the model knows less about (experts, time spent launching kernels,
 * compiled code, recomputation that nobody said, devices with few measurements).
 */
double interval_half_width(struct arena *arena, const struct profile *profile,
			   const struct workload *work, const struct step *step);

#endif
