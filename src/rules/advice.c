#include "rules/advice.h"

#include "base/number.h"

#include <inttypes.h>

int64_t common_divisor(int64_t a, int64_t b)
{
	int64_t rest;

	while (b) {
		rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

int64_t common_multiple(int64_t a, int64_t b)
{
	return multiply(a / common_divisor(a, b), b);
}

int64_t nearest_multiple(int64_t value, int64_t unit)
{
	int64_t down = value / unit * unit, up = add(down, unit);

	return down >= unit && value - down <= up - value ? down : up;
}

const char *multiples_around(struct arena *arena, int64_t value, int64_t unit)
{
	int64_t down = value / unit * unit;

	if (down < unit)
		return arena_printf(arena, "%" PRId64 ", the smallest there is", unit);
	return arena_printf(arena, "%" PRId64 " below or %" PRId64 " above", down, add(down, unit));
}

enum { DIVISORS_MOST = 13, DIVISOR_LIMIT = 1 << 20 };

const char *divisors_text(struct arena *arena, int64_t value)
{
	const char *text = "1";
	int64_t i, last = 1;
	int count = 1;

	for (i = 2; i <= value && i <= DIVISOR_LIMIT && count <= DIVISORS_MOST; i++) {
		if (value % i)
			continue;
		if (last > 1)
			text = arena_printf(arena, "%s, %" PRId64, text, last);
		last = i;
		count++;
	}
	if (last == 1)
		return text;
	return count > DIVISORS_MOST ? arena_printf(arena, "%s, ...", text)
				     : arena_printf(arena, "%s or %" PRId64, text, last);
}

int64_t divisor_up_to(int64_t value, int64_t most)
{
	if (most > value)
		most = value;
	if (most > DIVISOR_LIMIT)
		most = DIVISOR_LIMIT;
	while (most > 1 && value % most)
		most--;
	return most;
}
