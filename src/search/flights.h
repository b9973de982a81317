#ifndef SEARCH_FLIGHTS_H
#define SEARCH_FLIGHTS_H

#include "base/arena.h"
#include "sim/schedule.h"

/*
 * Passes forward that wait for their backward ones on a rank of a pipeline, of any of its stages
 * over any microbatch. Their order is the schedule's alone: kept for all candidates of a
 * shape.
 */
struct flights {
	int64_t most;	 /* when a backward pass begins */
	int64_t waiting; /* the same, when gradients of all of the rank's stages wait for more */
	int64_t after;	 /* when one has ended and they do; both -1: they never do */
};

struct all_flights;

struct all_flights *flights_new(struct arena *arena);

/* Those of a shape that the schedule takes. They are good as long as the arena. */
const struct flights *flights_of(struct all_flights *known, const struct schedule *schedule,
				 const struct pipeline_shape *shape, int64_t rank);

#endif
