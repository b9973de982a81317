#ifndef SIM_CALL_H
#define SIM_CALL_H

#include "cost/network.h"
#include "sim/holding.h"

/*
 * The collectives of a step, one call each: which operation over which group of the plan carries
 * how many bytes. The clock, the table of collectives and every output take their bytes from here;
 * how often each is called stands in sim/traffic.h. `bytes` is a call's size as nccl-tests counts
 * it, in the types that the job communicates.
 */
struct call {
	const struct collective *op;
	const struct group *group; /* of the workload */
	double bytes;
	bool neighbours; /* pairs of its ranks alone use the network */
};

/* Parameters of so many elements are gathered; `block`: of a block rather than of a table. */
struct call call_gather(const struct workload *work, enum kind kind, double elements, bool block);

/* Dense parameters are gathered again from those ranks over which they stayed cut. */
struct call call_gather_kept(const struct workload *work, double elements, bool block);

/* Their gradients are reduced, and scattered where what becomes of them is shared. */
struct call call_reduce(const struct workload *work, enum kind kind, double elements);

/* The parts of gradients that remain are summed over those who repeat the parameters. */
struct call call_copies(const struct workload *work, enum kind kind, double elements);

/*
 * Activations of a block under tensor parallelism: a half of an exchange that a block makes twice
 * each way. Without sequence parallelism one all-reduce is both halves, and the second has no
 * bytes.
 */
struct call call_tensor(const struct workload *work, bool second);

/*
 * Keys and values of one rank in one block go to the next one of a group that cuts sequences
 * (`context` or `sequence` of the workload); or those of all are gathered.
 */
struct call call_keys(const struct workload *work, const struct group *group, bool gathered);

/* Their gradients go to the next rank. */
struct call call_keys_gradients(const struct workload *work, const struct group *group);

/*
 * Ulysses in one block, each way: queries, keys and values of a part of the tokens become those of
 * all tokens and a part of the heads, and the attention's output goes back. Keys and values of
 * fewer heads than ranks are repeated.
 */
enum { CALL_HEADS = 4 };
void call_heads(const struct workload *work, const struct group *group,
		struct call calls[CALL_HEADS]);

/*
 * Tokens go to their experts, or come back. Where those of all ranks are gathered, what experts
 * make of them is summed. `profile` (may be NULL) says how far one switch reaches:
 * what sends a token once to each node needs to know it.
 */
struct call call_expert(const struct workload *work, const struct profile *profile, bool back);

/* Activations go to the next pipeline stage, or their gradients to the one before. */
struct call call_pipeline(const struct workload *work);

/* The group as the network sees it. */
struct lane call_lane(const struct workload *work, const struct profile *profile,
		      const struct call *call);

/* Nodes that one group of the call is on; racks of one switch count as one. */
int64_t call_nodes(const struct workload *work, const struct profile *profile,
		   const struct call *call);

/* Bytes that one rank receives. */
double call_received(const struct call *call);

/* Seconds of one call by itself; 0 for a group of one rank. */
double call_seconds(const struct workload *work, const struct profile *profile,
		    const struct call *call);

#endif
