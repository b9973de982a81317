#ifndef SEARCH_REFERENCE_H
#define SEARCH_REFERENCE_H

#include "search/outcome.h"
#include "sim/states.h"

/* What a choice of recomputation says of a workload. */
struct way {
	enum recompute recompute;
	int64_t every, first, unit;
	unsigned modules;
	bool said, partly;
};

/* What a pipeline of so many ranks is cut into, where nothing else is said of its stages. */
struct cut_pipeline {
	int64_t pp, stages;
	bool even; /* as dealing.h says */
};

/* A workload of each site, whose numbers no layout makes less. */
struct reference {
	bool known;
	struct profile profile;
	struct workload work;
	bool sequences, overlaps; /* what its framework does, whatever the layout */
	double dense, routed;	  /* elements of parameters, those of routed experts apart */
	double inside;		  /* of them, those of blocks */
	int64_t blocks[KINDS];
	double slack, context; /* what all ranks have beside tensors, as struct overhead does */
	bool even;	       /* the job does not say which layers its stages have */
	VEC(struct cut_pipeline) pipelines;
	bool ordered;		       /* and the first of them have one layer more */
	int64_t ends[2];	       /* layers that the first and the last one have less */
	struct states states[4][2][2]; /* by zero, and whether data and pipeline parallelism have
					  several ranks */
	struct way *ways;	       /* for each choice of recomputation */
};

/* The one of so many ranks, or NULL: no layout of it was seen to have a plan. */
const struct cut_pipeline *reference_pipeline(const struct reference *reference, int64_t pp);

/* One for each site of a space: that of a layout of it that has a workload. Sites get its profile.
 */
struct reference *references_make(struct space *space, const struct aim *aim);

#endif
