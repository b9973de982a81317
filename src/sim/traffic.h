#ifndef SIM_TRAFFIC_H
#define SIM_TRAFFIC_H

#include "base/vec.h"
#include "cost/network.h"
#include "sim/step.h"

/*
 * The collectives of one step: what a rank of the pipeline stage with the most blocks calls, over
 * which group, how large, how often, and how long each takes alone. Control traffic (losses, norms,
 * counts of tokens) is left out.
 */
enum traffic_axis {
	TRAFFIC_DATA,	  /* sharded and replicated parameters and gradients */
	TRAFFIC_TENSOR,	  /* activations cut over tp */
	TRAFFIC_CONTEXT,  /* keys and values over cp */
	TRAFFIC_EXPERT,	  /* tokens to experts and back */
	TRAFFIC_PIPELINE, /* activations to the next stage, their gradients to the one before */
	TRAFFIC_AXES
};

struct traffic {
	enum traffic_axis axis;
	const char *group; /* "dp_shard", "dp_shard_cp", "dp_replicate", "dp", "edp", "tp", ... */
	const char *what;  /* "a block's parameters" */
	const struct collective *op;
	struct rank_group communicator;
	int64_t nodes;		     /* that one group is on; racks of one switch count as one */
	double bytes;		     /* of one call, as nccl-tests counts its sizes */
	double count;		     /* calls per step */
	struct collective_time time; /* of one call, us */
	double exposed; /* share of it that nothing hides; negative where that is not known */
};

struct traffics {
	VEC(struct traffic) list;
};

/*
 * Appends the rows of a job, none for groups of one rank; `exposed` of all is unknown. They are in
 * the order of the axes above.
 */
void traffic_of(struct arena *arena, const struct profile *profile, const struct workload *work,
		struct traffics *traffics);

/*
 * Fills `exposed` from where the step's seconds go: rows of one axis share its exposed seconds by
 * their time. What a step does not tell (the pipeline) stays unknown.
 */
void traffic_expose(struct traffics *traffics, const struct step *step);

/* Bus bandwidth of one call as nccl-tests counts it, GB/s. */
double traffic_bus(const struct traffic *traffic);

#endif
