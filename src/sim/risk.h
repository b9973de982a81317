#ifndef SIM_RISK_H
#define SIM_RISK_H

#include "sim/memory.h"

/*
 * How probable it is that a step runs out of memory, 0 to 1, by how far forecasts of its peak have
 * been off; where the config leaves something open, either way of it counts half.
 */
double risk_out_of_memory(const struct memory *memory);

/* The same of a peak of so many bytes on a device of so many. It never falls as bytes grow. */
double risk_of_peak(double bytes, double capacity);

#endif
