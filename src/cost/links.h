#ifndef COST_LINKS_H
#define COST_LINKS_H

#include "cost/nccl/nccl.h"

#include <stdbool.h>

/*
 * What a communicator's ranks have between them, in microseconds and bytes per microsecond, and
 * the parts that times of collectives are made of.
 */
struct links {
	double ranks, nodes, local; /* local: ranks of a node */
	double start, hop, ramp;
	double inside;	  /* of one device, one direction, as rings use it */
	double multicast; /* bus bandwidth of all-reduce by the switch; 0: none */
	double copy;	  /* of a device to itself */
	double exchange;  /* before the first send or receive */
	double send;	  /* of one send over the network, all its channels */
	double outside;	  /* of a node's adapters that are this communicator's */
	double net_hop, net_ramp, net_saturation;
};

/* A transfer that takes `time` at full rate, with the filling of its pipeline. */
double links_flow(const struct links *links, double time);

/* Ring of `steps` hops of which `crossings` leave a node. */
double links_hops(const struct links *links, double steps, double crossings);

/* `bytes` over each link of a ring, once round all ranks. */
double links_round(const struct links *links, double bytes);

/* The same of which every rank has a part: all others go round, and inside a node its own is
 * copied.
 */
double links_parts(const struct links *links, double bytes);

/* Rate of a ring through all ranks. */
double links_ring(const struct links *links);

#endif
