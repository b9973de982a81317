#ifndef DRAW_CARRIED_H
#define DRAW_CARRIED_H

#include "draw/figure.h"
#include "sim/traffic.h"

/* The account of traffic as figures show it: one entry for each group that something goes over. */
const struct carried *carried_of(struct arena *arena, const struct traffics *traffics,
				 size_t *count);

/* "50.3 GiB per rank and step, 82.1 ms, 4.02 ms of it not hidden". */
const char *carried_words(struct arena *arena, const struct carried *carried);

#endif
