#ifndef SEARCH_FRONT_H
#define SEARCH_FRONT_H

#include "search/outcome.h"

/* How many times as long as the fastest a step may take to be on the front. */
#define FRONT_SLOWEST 1.25

/*
 * Which of some outcomes are on the front of time and free memory: none that `stands` is as fast
 * and leaves as much free, and better in one of them. One flag each, in the arena.
 */
bool *front_of(struct arena *arena, const struct outcome *outcomes, size_t count,
	       bool (*stands)(void *context, size_t outcome), void *context);

#endif
