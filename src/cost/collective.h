#ifndef COST_COLLECTIVE_H
#define COST_COLLECTIVE_H

#include "cost/links.h"
#include "cost/nccl/nccl.h"
#include "cost/profile.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * How long collectives take. A row per collective in src/cost/collectives/, one file each: which
 * algorithm runs is NCCL's choice (cost/nccl/), what it takes is physics (cost/links.h), and
 * measurements of a like system correct it where there are any (cost/calibration.h).
 * Bytes are as the "size" column of nccl-tests has them.
 */
struct collective {
	const char *name; /* "all_reduce" */
	const char *test; /* the program of nccl-tests: "all_reduce_perf" */
	enum nccl_op op;
	bool validated; /* there are public tables over several nodes */
	/* Bytes over a rank's link per byte of size: the bus factor of nccl-tests. */
	double (*traffic)(double ranks);
	/* Microseconds. */
	double (*time)(const struct links *links, struct nccl_choice choice, double bytes);
};

extern const struct collective *const collectives[]; /* ended by NULL */

/* Rows that the cost model itself asks for. */
extern const struct collective collective_all_gather, collective_all_reduce, collective_all_to_all,
	collective_reduce_scatter, collective_send_recv;

/* By name, however it is written ("all_reduce", "AllReduce", "alltoall"); NULL for none. */
const struct collective *collective_find(const char *name);

struct calibration;

/* Where a communicator lives. */
struct communicator_place {
	const struct profile *profile;
	int64_t ranks, nodes; /* ranks is a multiple of nodes */
	double adapters;      /* per node, that no other communicator uses at the same time */
	bool pcie;	      /* devices of a node meet over the host link */
	bool racks;	      /* a node is all that one NVLink switch joins */
	bool sharp;	      /* the network reduces */
	int nccl;	      /* minor version */
	unsigned algorithms, protocols;	       /* NCCL_ALGO and NCCL_PROTO; 0: not set */
	const struct calibration *calibration; /* or NULL */
};

/* The newest NCCL, all adapters of the profile's node, NVLink where the device has any. */
void communicator_place_init(struct communicator_place *place, const struct profile *profile,
			     int64_t ranks, int64_t nodes);

/* A place made ready for many sizes. */
struct route {
	struct communicator_place place;
	struct nccl_system system;
	struct nccl_graphs graphs;
	struct links links;
};

struct route route_of(const struct communicator_place *place);

struct collective_time {
	double time, low, high; /* us; four out of five measurements are to be expected between */
	enum nccl_algorithm algorithm;
	enum nccl_protocol protocol;
	bool calibrated;
};

struct collective_time collective_time(const struct route *route, const struct collective *op,
				       double bytes);

/* "ring", "nvls_tree"; "p2p" for sends and receives, which have no algorithm. */
const char *collective_way(const struct collective *op, const struct collective_time *time);

/* The same time without calibration, us. */
double collective_model(const struct route *route, const struct collective *op, double bytes);

#endif
