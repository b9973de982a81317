#ifndef SEARCH_BOUND_H
#define SEARCH_BOUND_H

#include "search/flights.h"
#include "search/gathers.h"
#include "search/microbatch.h"
#include "search/reference.h"

/*
 * What a step of a candidate takes at least, known without its plan: no less than what the
 * simulator says of it. Time: what all stages compute, evenly over the pipeline's ranks or on one
 * of them; the way of one microbatch through all stages; the gathers of a rank. Memory: what all
 * ranks keep together, evenly over them, with the blocks of an average stage; or what one of them
 * keeps at some moment of its schedule.
 */
struct bound {
	double time;   /* seconds; 0: nothing is known */
	double memory; /* bytes of a device; 0: nothing is known */
	double need;   /* of them, what must fit */
	double risk;   /* that such a rank runs out of memory, whatever is left open */
	double capacity;
};

struct bounds {
	struct borne borne;	 /* what bounds are taken for */
	struct reference *sites; /* one for each site of the space; NULL: nothing is known */
	struct microbatches *microbatches;
	struct all_flights *flights;
	struct gathers *gathers;
};

/* A rank of a pipeline: of its stages between the first and the last of all, and of these (1). */
struct pipeline_rank {
	int64_t rank;
	int64_t blocks[2];	       /* of a stage, at least */
	int64_t all;		       /* of all its stages */
	int64_t before;		       /* of the stages before its first one */
	double share;		       /* of an average rank's bytes, at least */
	double stage[2];	       /* the same of one stage */
	const struct flights *flights; /* NULL: not known */
};

/* What the bounds of a layout's candidates share: all but microbatch and recomputation. */
struct layout_bounds {
	const struct bounds *bounds;
	const struct reference *reference; /* NULL: nothing is known */
	const struct site *site;
	struct candidate candidate; /* that was looked at last, and its workload without groups */
	struct workload work;
	const struct microbatch *microbatch;
	const struct states *states;
	double capacity;
	double filling;	   /* blocks of one pass that a rank waits for when a pipeline fills */
	int64_t per_rank;  /* stages */
	int64_t inside;	   /* ranks of data parallelism that share each sample */
	bool far_is_near;  /* the network is no slower than a node's links */
	int64_t simulated; /* microbatches, of those of the latest candidate */
	int64_t flown;	   /* microbatches that this and the ranks' flights hold for */
	double gather; /* seconds for a block's parameters, at least; 0: they stay or are not cut */
	/* bytes of an average rank: */
	double kept[HELDS];
	double gathered,
		passed; /* parameters that stay so, and those that a backward pass leaves */
	bool lets_go;	/* gradients may come and go with the step */
	double waits;	/* gradients that wait for the last microbatch */
	struct pipeline_rank ranks[3]; /* the first two and the last one */
	int count;		       /* of those of which something is known */
};

/* Finds a layout of each site that has a workload. */
void bounds_prepare(struct bounds *bounds, struct space *space, const struct aim *aim);

/* Begins with a layout, or any of its candidates. */
void bounds_begin(struct layout_bounds *layout, const struct bounds *bounds,
		  const struct space *space, const struct candidate *candidate);

/* The time alone of the candidate that has such a microbatch and recomputation. */
double bounds_time_at(struct layout_bounds *layout, int64_t micro, int64_t recompute);

/* The bound of the candidate that has such a microbatch and recomputation. */
struct bound bounds_at(struct layout_bounds *layout, int64_t micro, int64_t recompute);

/* The same of one candidate. */
struct bound bound_of(const struct bounds *bounds, const struct space *space,
		      const struct candidate *candidate);

#endif
