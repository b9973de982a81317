#include "input/range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct range range_of(const char *text)
{
	struct range range = { -HUGE_VAL, HUGE_VAL };
	const char *dots = text ? strstr(text, "..") : NULL;

	if (dots) {
		range.low = strtod(text, NULL);
		if (dots[2])
			range.high = strtod(dots + 2, NULL);
	}
	return range;
}

bool range_has(const char *text, double number)
{
	const struct range range = range_of(text);

	return number >= range.low && number <= range.high;
}

const char *range_words(struct arena *arena, const char *text, bool whole)
{
	const struct range range = range_of(text);
	const char *number = whole ? "whole number" : "number";

	if (!text)
		return number;
	return isinf(range.high)
		       ? arena_printf(arena, "%s from %g on", number, range.low)
		       : arena_printf(arena, "%s from %g to %g", number, range.low, range.high);
}
