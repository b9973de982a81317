#include "base/number.h"

int64_t multiply(int64_t a, int64_t b)
{
	int64_t product;

	if (!__builtin_mul_overflow(a, b, &product))
		return product;
	return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

int64_t add(int64_t a, int64_t b)
{
	int64_t sum;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

int64_t round_up(int64_t value, int64_t unit)
{
	return (value + unit - 1) / unit * unit;
}
