#ifndef SIM_SPEEDUP_H
#define SIM_SPEEDUP_H

#include "sim/forecast.h"

/*
 * How many times the tokens per second of one job another has. Two runs of one framework on one
 * device that differ in little share most of what a forecast is off by: their ratio is known
 * better than either (figure doubt.ratio); else both intervals count in full.
 */
struct speedup {
	double value, low, high; /* four measured ratios of five lie between the last two */
	bool alike;		 /* known better, by what pairs of published runs say */
};

/*
 * `changes` counts settings that differ, nodes and world aside; none, and `other` is the base with
 * slow ranks or lost adapters, which can make nothing faster. Both forecasts must have been made.
 */
struct speedup speedup_of(const struct forecast *base, const struct forecast *other,
			  size_t changes);

/* "the same", "faster", "slower", or "cannot be said" where the interval holds both. */
const char *speedup_verdict(const struct speedup *speedup);

#endif
