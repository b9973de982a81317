#ifndef SIM_RISK_H
#define SIM_RISK_H

#include "sim/memory.h"

/*
 * Fills in the probability that the fullest rank needs more than its device has, from the ways in
 * which what the config leaves open may be decided.
 */
void risk_put(const struct profile *profile, struct memory *memory);

/*
 * The probability that a rank which is forecast to need so many bytes, with nothing open, needs
 * more than a device has. It never falls as bytes grow.
 */
double risk_of_peak(const struct profile *profile, double bytes, double capacity);

/* Bytes between which four measurements of five of the fullest device lie. */
double risk_low(const struct memory *memory);
double risk_high(const struct memory *memory);

#endif
