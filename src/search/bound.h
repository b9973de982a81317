#ifndef SEARCH_BOUND_H
#define SEARCH_BOUND_H

#include "search/microbatch.h"
#include "search/outcome.h"
#include "sim/states.h"

/*
 * What a step of a candidate takes at least, known without its plan: no less than what the
 * simulator says of it. Time: what all stages compute, evenly over the pipeline's ranks, for the
 * busiest rank has no less. Memory: what all ranks keep together, evenly over them, and what the
 * blocks of an average stage keep of one microbatch.
 */
struct bound {
	double time;   /* seconds; 0: nothing is known */
	double memory; /* bytes of a device; 0: nothing is known */
	double risk;   /* that such a rank runs out of memory, whatever is left open */
	double capacity;
};

/* A workload of each site, whose numbers no layout changes. */
struct reference {
	bool known;
	struct profile profile;
	struct workload work;
	double dense, routed; /* elements of parameters, those of routed experts apart */
	double inside;	      /* of them, those of blocks */
	int64_t blocks[KINDS];
	double slack, context; /* what all ranks have beside tensors, as struct overhead does */
	bool even, returns;    /* stages are cut evenly; the config's own schedule, where none is
				  chosen, goes backward as it went forward */
	struct states states[4][2][2]; /* by zero, and whether data and pipeline parallelism have
					  several ranks */
};

struct bounds {
	struct reference *sites; /* one for each site of the space; NULL: nothing is known */
	struct microbatches *microbatches;
};

/* Finds a layout of each site that has a workload. */
void bounds_prepare(struct bounds *bounds, const struct space *space, const struct aim *aim);

struct bound bound_of(const struct bounds *bounds, const struct space *space,
		      const struct candidate *candidate);

#endif
