#include "cli/quantity.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct suffix {
	char letter;
	double factor;
};

/* A number above 0 with one of the suffixes, or with none. */
static bool scaled(const char *text, const struct suffix *suffixes, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || !isfinite(*value) || *value <= 0)
		return false;
	if (!*end)
		return true;
	for (; suffixes->letter; suffixes++)
		if (*end == suffixes->letter && !end[1]) {
			*value *= suffixes->factor;
			return true;
		}
	return false;
}

bool quantity_count(const char *text, double *count)
{
	static const struct suffix suffixes[] = { { 'K', 1e3 },	 { 'M', 1e6 }, { 'B', 1e9 },
						  { 'T', 1e12 }, { 'k', 1e3 }, { 0, 0 } };

	return scaled(text, suffixes, count);
}

bool quantity_seconds(const char *text, double *seconds)
{
	static const struct suffix suffixes[] = {
		{ 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 0, 0 }
	};

	return scaled(text, suffixes, seconds);
}
