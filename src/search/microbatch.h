#ifndef SEARCH_MICROBATCH_H
#define SEARCH_MICROBATCH_H

#include "search/space.h"
#include "sim/activations.h"

/*
 * What one microbatch costs whatever the pipeline and data parallelism are: kept for all candidates
 * that cut it alike, since there are some hundreds of those and millions of candidates.
 */
struct microbatch {
	double pass;	      /* seconds of all blocks and the output, there and back */
	double weights;	      /* of that: gradients of weights */
	double hidden;	      /* of that, at most: experts' traffic, which another pass may fill */
	double blocks[KINDS]; /* of that: one block of either kind; 0: there is none */
	double there,
		back; /* seconds of the quickest block; weights' gradients left out of `back` */
	struct activations activations;
};

struct microbatches;

struct microbatches *microbatches_new(struct arena *arena);

/*
 * That of a candidate, which runs as `work` says, on a model of so many blocks of each kind. It is
 * good until the next one is asked for.
 */
const struct microbatch *microbatch_of(struct microbatches *known, const struct profile *profile,
				       const struct workload *work, const int64_t blocks[KINDS],
				       const struct candidate *candidate);

#endif
