#include "sim/speedup.h"

#include <math.h>
#include <string.h>

/* Settings in which the pairs of published runs differ at most that doubt.ratio is measured on. */
#define ALIKE 2

static double half_width(const struct forecast *forecast)
{
	return (forecast->high - forecast->low) / 2 / forecast->step.total;
}

static double throughput(const struct forecast *forecast)
{
	return forecast->tokens * (double)forecast->work.world;
}

struct speedup speedup_of(const struct forecast *base, const struct forecast *other, size_t changes)
{
	double value = throughput(other) / throughput(base), half;
	bool alike = changes <= ALIKE && base->work.software == other->work.software &&
		     !strcmp(base->work.framework, other->work.framework) &&
		     !strcmp(base->profile.gpu, other->profile.gpu);

	if (alike)
		half = profile_get(&base->profile, FIGURE_DOUBT_RATIO);
	else
		half = hypot(half_width(base), half_width(other));
	if (!changes && other->work.hurt)
		return (struct speedup) { value, value / (1 + half), fmin(value * (1 + half), 1),
					  alike };
	return (struct speedup) { value, value / (1 + half), value * (1 + half), alike };
}

const char *speedup_verdict(const struct speedup *speedup)
{
	if (speedup->value == 1)
		return "the same";
	if (speedup->low > 1)
		return "faster";
	return speedup->high <= 1 ? "slower" : "cannot be said";
}
