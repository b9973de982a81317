#ifndef DRAW_CARRIED_H
#define DRAW_CARRIED_H

#include "draw/figure.h"
#include "sim/traffic.h"

/* The account of traffic as figures show it: one entry for each group that something goes over. */
const struct carried *carried_of(struct arena *arena, const struct traffics *traffics,
				 size_t *count);

/* "12.1 ms": seconds with three digits. */
const char *seconds_words(struct arena *arena, double seconds);

#endif
