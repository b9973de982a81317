#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdint.h>

/* a * b, or the nearest 64-bit integer when that overflows: degrees come from users. */
int64_t multiply(int64_t a, int64_t b);

/* a + b, or the nearest 64-bit integer when that overflows. */
int64_t add(int64_t a, int64_t b);

#endif
