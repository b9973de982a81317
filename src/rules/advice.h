#ifndef RULES_ADVICE_H
#define RULES_ADVICE_H

#include "base/arena.h"

#include <stdint.h>

/* Numbers for fixes: the valid values around a wrong one. */

/* Greatest common divisor and least common multiple of positive numbers; lcm saturates. */
int64_t common_divisor(int64_t a, int64_t b);
int64_t common_multiple(int64_t a, int64_t b);

/* The multiple of `unit` nearest to `value`, the lower of two; at least one unit. */
int64_t nearest_multiple(int64_t value, int64_t unit);

/* "8184 below or 8192 above"; below one unit only the one above. */
const char *multiples_around(struct arena *arena, int64_t value, int64_t unit);

/* "1, 2, 4 or 8": every divisor of a positive number, thirteen of them at most. */
const char *divisors_text(struct arena *arena, int64_t value);

/* The largest divisor of `value` that is at most `most` (both positive). */
int64_t divisor_up_to(int64_t value, int64_t most);

#endif
