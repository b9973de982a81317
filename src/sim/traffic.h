#ifndef SIM_TRAFFIC_H
#define SIM_TRAFFIC_H

#include "base/vec.h"
#include "sim/call.h"
#include "sim/step.h"

/*
 * The account of traffic: the collectives of one step, what a rank of the pipeline position with
 * the most blocks calls, over which group of the plan, how large, and how often. Every command
 * takes its bytes from here. Control traffic (losses, norms, counts of tokens) is left out.
 */
enum traffic_axis {
	TRAFFIC_DATA,	  /* sharded and replicated parameters and gradients */
	TRAFFIC_TENSOR,	  /* activations cut over tp */
	TRAFFIC_CONTEXT,  /* what ranks that cut sequences exchange */
	TRAFFIC_EXPERT,	  /* tokens to experts and back */
	TRAFFIC_PIPELINE, /* activations to the next stage, their gradients to the one before */
	TRAFFIC_AXES
};

struct traffic {
	enum traffic_axis axis;
	const char *what; /* "a block" */
	struct call call;
	int64_t nodes;		     /* that one group is on; racks of one switch count as one */
	double count;		     /* calls per step */
	struct collective_time time; /* of one call, us; all 0 where the device is not known */
	double exposed; /* share of it that nothing hides; negative where that is not known */
};

struct traffics {
	int64_t rank; /* of the world: whose calls these are */
	VEC(struct traffic) list;
};

/*
 * Appends the rows of a job, none for groups of one rank; `exposed` of all is unknown. They are in
 * the order of the axes above. `profile` may be NULL: rows have no times then. Rows of activations
 * need the length of sequences.
 */
void traffic_of(struct arena *arena, const struct profile *profile, const struct workload *work,
		struct traffics *traffics);

/*
 * Fills `exposed` from where the step's seconds go: rows of one axis share its exposed seconds by
 * their time. What a step does not tell (the pipeline) stays unknown.
 */
void traffic_expose(struct traffics *traffics, const struct step *step);

/* Bytes that one rank receives in a step by one row, and by all over the groups of a layout. */
double traffic_received(const struct traffic *traffic);
double traffic_over(const struct traffics *traffics, const struct layout *layout);

/* True when no row before this one is over the same groups. */
bool traffic_is_first(const struct traffics *traffics, size_t row);

/* What its calls carry: "parameters", "gradients of experts", "activations". */
const char *traffic_content(const struct traffic *traffic);

/* Bus bandwidth of one call as nccl-tests counts it, GB/s. */
double traffic_bus(const struct traffic *traffic);

#endif
