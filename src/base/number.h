#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdint.h>

/* a * b, or the nearest 64-bit integer when that overflows: degrees come from users. */
int64_t multiply(int64_t a, int64_t b);

/* a + b, or the nearest 64-bit integer when that overflows. */
int64_t add(int64_t a, int64_t b);

/* The least multiple of `unit`, which is positive, that is no less than `value`. */
int64_t round_up(int64_t value, int64_t unit);

#endif
