#ifndef SEARCH_FLIGHTS_H
#define SEARCH_FLIGHTS_H

#include "base/arena.h"
#include "sim/schedule.h"

/* A moment of one rank of a pipeline, of all of whose stages and microbatches it counts: */
struct moment {
	int64_t forwards; /* passes whose backward pass has not ended */
	int64_t inputs;	  /* of these, those that have gradients of their inputs, not of weights */
	int64_t left;	  /* stages whose latest pass was a backward one, but for their last one */
	bool waits;  /* gradients of all of its stages are there and wait for more microbatches */
	bool begins; /* one begins */
	bool loss;   /* that of the last stage */
};

enum { MOMENTS_MOST = 16 };

/*
 * Moments of a step, none of which has all of another, in what order its schedule has them: the
 * same for all candidates of a shape.
 */
struct flights {
	struct moment moments[MOMENTS_MOST];
	int count;
	bool waits; /* at one of them */
};

struct all_flights;

struct all_flights *flights_new(struct arena *arena);

/* Those of a rank, of a shape that the schedule takes. They are good as long as the arena. */
const struct flights *flights_of(struct all_flights *known, const struct schedule *schedule,
				 const struct pipeline_shape *shape, int64_t rank);

#endif
