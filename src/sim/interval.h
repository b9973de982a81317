#ifndef SIM_INTERVAL_H
#define SIM_INTERVAL_H

#include "sim/stage.h"

/*
 * Half-width of the interval in which four measured step times of five lie, as a share of the
 * forecast: wider for what the model knows less about (experts, computing that waits for kernels to
 * be launched, compiled code, recomputation that nobody said, devices with few measurements).
 * `stages`: its stages_cost.
 */
double interval_half_width(struct arena *arena, const struct profile *profile,
			   const struct workload *work, const struct stages *stages);

#endif
