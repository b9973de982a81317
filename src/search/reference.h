#ifndef SEARCH_REFERENCE_H
#define SEARCH_REFERENCE_H

#include "search/outcome.h"
#include "sim/states.h"

/* What a choice of recomputation says of a workload. */
struct way {
	enum recompute recompute;
	int64_t every, first, unit;
	bool said, partly;
};

/* A workload of each site, whose numbers no layout changes. */
struct reference {
	bool known;
	struct profile profile;
	struct workload work;
	bool sequences, overlaps; /* what its framework does, whatever the layout */
	double dense, routed;	  /* elements of parameters, those of routed experts apart */
	double inside;		  /* of them, those of blocks */
	int64_t blocks[KINDS];
	double slack, context; /* what all ranks have beside tensors, as struct overhead does */
	bool even;	       /* stages are cut evenly, but for those pipelines */
	VEC(int64_t) uneven;
	bool ordered;		       /* and the first of them have one layer more */
	int64_t ends[2];	       /* layers that the first and the last one have less */
	struct states states[4][2][2]; /* by zero, and whether data and pipeline parallelism have
					  several ranks */
	struct way *ways;	       /* for each choice of recomputation */
};

/* One for each site of a space: that of a layout of it that has a workload. Sites get its profile.
 */
struct reference *references_make(struct space *space, const struct aim *aim);

#endif
