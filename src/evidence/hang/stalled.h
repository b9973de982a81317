#ifndef EVIDENCE_HANG_STALLED_H
#define EVIDENCE_HANG_STALLED_H

#include "evidence/hang/clusters.h"

/*
 * A rank that stopped though it waits: it holds a call for running that all others of its group
 * have completed, and it never came to calls that they made since. Its device or its watchdog is
 * stuck, and what it waits for is there.
 */
struct stalled {
	int64_t rank, sequence; /* that it holds for running: the one that it began first */
	double since;		/* when it did; -1: not told */
	size_t own;		/* the cluster of that call */
	size_t where;		/* the cluster where most others wait for it, */
	int64_t awaited;	/* in this call */
	const struct hang_call *call;
};

struct stalled_ranks {
	VEC(struct stalled) list;
};

struct stalled_ranks stalled_find(struct arena *arena, const struct hang_facts *facts,
				  const struct clusters *clusters);

#endif
