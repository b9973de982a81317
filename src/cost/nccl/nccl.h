#ifndef COST_NCCL_NCCL_H
#define COST_NCCL_NCCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which algorithm and protocol NCCL picks for a call, by its own cost model (src/graph/tuning.cc
 * and search.cc of NVIDIA/nccl, tags v2.18.6-1 to v2.30.7-1): latency plus bytes over bandwidth of
 * each that is enabled, the least wins. Its times are for choosing; what a call takes is in
 * cost/collective.h.
 */
enum nccl_op {
	NCCL_BROADCAST,
	NCCL_REDUCE,
	NCCL_ALL_GATHER,
	NCCL_REDUCE_SCATTER,
	NCCL_ALL_REDUCE,
	NCCL_POINT_TO_POINT /* send and receive, and all that is made of them: no choice */
};

enum nccl_algorithm {
	NCCL_TREE,
	NCCL_RING,
	NCCL_COLLNET_DIRECT,
	NCCL_COLLNET_CHAIN,
	NCCL_NVLS,
	NCCL_NVLS_TREE,
	NCCL_PAT,
	NCCL_ALGORITHMS
};

enum nccl_protocol { NCCL_LL, NCCL_LL128, NCCL_SIMPLE, NCCL_PROTOCOLS };

enum { NCCL_OLDEST = 17, NCCL_NEWEST = 30 };

/* NCCL's forecast for one way to do it: us and GB/s of algorithm bandwidth; 0 GB/s: disabled. */
struct nccl_way {
	double latency, bandwidth;
};

/* What NCCL's search finds, in closed form: channels and GB/s of each. */
struct nccl_graph {
	int channels;
	double inside, outside;
};

struct nccl_graphs {
	struct nccl_graph ring, nvls; /* the tree has the ring's; no channels: not possible */
};

/* What NCCL itself printed of a communicator (NCCL_DEBUG_SUBSYS=TUNING,GRAPH). */
struct nccl_printed {
	bool known[NCCL_POINT_TO_POINT]; /* that the table of an operation was printed */
	struct nccl_way ways[NCCL_POINT_TO_POINT][NCCL_ALGORITHMS][NCCL_PROTOCOLS];
	struct nccl_graphs graphs; /* no channels: not printed */
};

/* Where a communicator lives. */
struct nccl_system {
	int version;	      /* minor: 28 is NCCL 2.28 */
	int capability;	      /* CUDA compute capability times ten */
	int64_t ranks, nodes; /* ranks is a multiple of nodes */
	int64_t links;	      /* NVLink links of a device; 0: PCIe */
	double pcie;	      /* GB/s of a device's host link */
	int64_t adapters;     /* per node, of this communicator */
	double adapter;	      /* GB/s each */
	double plugin;	      /* us that the network plugin reports */
	bool nvswitch;	      /* a switch that multicasts joins the devices of a node */
	bool sharp;	      /* the network reduces (CollNet) */
	unsigned algorithms;  /* NCCL_ALGO: bit per algorithm; 0: all */
	unsigned protocols;   /* NCCL_PROTO: bit per protocol; 0: the default */
	const struct nccl_printed *printed; /* takes the place of the model where known; or NULL */
};

struct nccl_graphs nccl_search(const struct nccl_system *system);

/* NCCL's forecast for one way to do it. */
struct nccl_way nccl_way_of(const struct nccl_system *system, const struct nccl_graphs *graphs,
			    enum nccl_op op, enum nccl_algorithm algorithm,
			    enum nccl_protocol protocol);

/* What is chosen; `time` is NCCL's own forecast in us. */
struct nccl_choice {
	enum nccl_algorithm algorithm;
	enum nccl_protocol protocol;
	double time;
};

struct nccl_choice nccl_choose(const struct nccl_system *system, const struct nccl_graphs *graphs,
			       enum nccl_op op, double bytes);

/* NCCL's names of algorithms and protocols, however a version spells them ("NVLS_TREE",
 * "NVLSTree", "Simple"); negative for others. */
int nccl_algorithm_find(const char *name, size_t length);
int nccl_protocol_find(const char *name, size_t length);

/* "ring", "nvls_tree"; "ll128". */
const char *nccl_algorithm_name(enum nccl_algorithm algorithm);
const char *nccl_protocol_name(enum nccl_protocol protocol);

/*
 * NCCL_ALGO and NCCL_PROTO: names separated by commas, or ^ and the names that are left out, as
 * NCCL spells them ("Ring,Tree", "^NVLS"). False when a name is none.
 */
bool nccl_algorithms(const char *text, unsigned *set);
bool nccl_protocols(const char *text, unsigned *set);

/* "2.27", "2.27.3", "v2.27.3-1": the minor version, between the oldest and newest; 0 for others. */
int nccl_version(const char *text);

#endif
