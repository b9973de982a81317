#ifndef SEARCH_FLIGHTS_H
#define SEARCH_FLIGHTS_H

#include "base/arena.h"
#include "sim/schedule.h"

/*
 * A moment of one rank of a pipeline, of all of whose stages and microbatches it counts, apart from
 * those of the first and the last stage of all (1), which have fewer blocks:
 */
struct moment {
	int64_t forwards[2]; /* passes whose backward pass has not ended */
	int64_t inputs[2];   /* of these, those that have gradients of their inputs alone */
	int64_t left[2]; /* stages whose latest pass was a backward one, but for their last one */
	bool begins[2];	 /* a backward pass begins, but for the last stage's */
	bool loss;	 /* that one does */
	bool waits;	 /* gradients of all of its stages are there and wait for more */
};

enum { MOMENTS_MOST = 16 };

/*
 * Moments of a step, none of which has all of another, in what order its schedule has them: the
 * same for all candidates of a shape.
 */
struct flights {
	struct moment moments[MOMENTS_MOST];
	int count;
	bool waits;	    /* at one of them */
	int64_t gathers[2]; /* passes in a whole step that find their stage not left gathered */
};

struct all_flights;

struct all_flights *flights_new(struct arena *arena);

/* Those of a rank, of a shape that the schedule takes. They are good as long as the arena. */
const struct flights *flights_of(struct all_flights *known, const struct schedule *schedule,
				 const struct pipeline_shape *shape, int64_t rank);

#endif
