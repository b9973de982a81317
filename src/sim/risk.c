#include "sim/risk.h"

#include <math.h>

/*
 * How far forecasts of memory are off: the logarithm of measured over forecast bytes, divided by
 * `memory->spread`, has Student's distribution of two degrees of freedom. Most are near, and some
 * far: a normal distribution would call what has happened impossible, and one of three degrees is
 * less likely than this one however the sources are weighed. Ways to decide what the
 * config leaves open count alike, since nothing says which of them it is.
 */

/* The probability that a value of Student's distribution of two degrees is above. */
static double tail(double value)
{
	return 0.5 - value / sqrt(2 + value * value) / 2;
}

double risk_of_peak(const struct profile *profile, double bytes, double capacity)
{
	if (!(capacity > 0) || !(bytes > 0))
		return 0;
	return tail(log(capacity / bytes) / profile_get(profile, FIGURE_DOUBT_MEMORY));
}

/* The probability of more than so many bytes, where they are forecast so by each of the ways. */
static double above(const struct memory *memory, const double *ways, double bytes)
{
	double sum = 0;
	int i;

	for (i = 0; i < memory->ways; i++)
		sum += tail(log(bytes / ways[i]) / memory->spread);
	return sum / memory->ways;
}

/* The bytes above which the fullest device lies with that probability. */
static double quantile(const struct memory *memory, double probability)
{
	double low = memory->device / 1024, high = memory->device * 1024;
	int step;

	for (step = 0; step < 48; step++) {
		const double middle = sqrt(low * high);
		if (above(memory, memory->way, middle) > probability)
			low = middle;
		else
			high = middle;
	}
	return sqrt(low * high);
}

double risk_low(const struct memory *memory)
{
	return quantile(memory, 1 - memory->tight);
}

double risk_high(const struct memory *memory)
{
	return quantile(memory, memory->tight);
}

void risk_put(const struct profile *profile, struct memory *memory)
{
	memory->spread = profile_get(profile, FIGURE_DOUBT_MEMORY);
	memory->tight = profile_get(profile, FIGURE_TIGHT);
	memory->probability = above(memory, memory->needs, memory->capacity);
}
