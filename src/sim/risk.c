#include "sim/risk.h"

#include <math.h>

/*
 * Measured peaks over forecast ones spread around 1 with long tails: half of the published runs are
 * within 5.4 % (docs/accuracy.md, peak memory). Their logarithms are taken to be Laplace's, of this
 * scale: half of those lie within 0.69 of it.
 */
#define SCALE 0.078

double risk_of_peak(double bytes, double capacity)
{
	double room;

	if (!(capacity > 0))
		return 0;
	if (!(bytes > 0))
		return 0;
	room = log(capacity / bytes) / SCALE;
	return room > 0 ? 0.5 * exp(-room) : 1 - 0.5 * exp(room);
}

double risk_out_of_memory(const struct memory *memory)
{
	return (risk_of_peak(memory->low, memory->capacity) +
		risk_of_peak(memory->high, memory->capacity)) /
	       2;
}
