#ifndef PLAN_TOPOLOGY_H
#define PLAN_TOPOLOGY_H

#include "base/arena.h"
#include "base/finding.h"
#include "input/setting.h"
#include "plan/hosts.h"
#include "plan/layout.h"

#include <stdbool.h>
#include <stdint.h>

/* How ranks follow nodes. */
enum rank_order {
	ORDER_BLOCK,  /* a node is filled, then the next one */
	ORDER_CYCLIC, /* dealt out to the nodes in turn */
	ORDER_C10D    /* blocks, nodes sorted by name: torchrun's c10d rendezvous */
};

/*
 * Where ranks sit. Nodes are numbered in the order in which ranks meet them. Ranks are
 * arithmetic: only a file of hosts with different numbers of slots makes tables, of its hosts.
 */
struct topology {
	int64_t world;
	int64_t nodes;	  /* nodes the job has, idle ones included */
	int64_t used;	  /* nodes with a rank */
	int64_t slots;	  /* ranks that a node runs when full; 0: differs from host to host */
	int64_t most;	  /* slots of the largest node */
	int64_t capacity; /* slots of all nodes */
	int64_t gpus;	  /* GPUs of all nodes, with a rank or without */
	int64_t domain;	  /* nodes of one NVLink domain; 1: a domain is a node */
	enum rank_order order;
	bool assumed; /* block order, because nobody said: no rank_order, hosts, or torchrun */
	const struct host *const *hosts; /* by node, or NULL: no names are known */
	struct topology_table *table;	 /* hosts with different slots; else NULL */
};

/*
 * Built from the cluster (nodes, gpus_per_node, devices, rank_order, fabric), what the launcher is
 * told (nodes, processes on each), and the hosts (NULL: no file). What does not add up is a
 * finding. NULL when the world or the ranks of a node are not known, and when a node would have
 * more than HOST_SLOTS_MAX of them.
 */
struct topology *topology_new(struct arena *arena, const struct settings *settings, int64_t world,
			      const struct hosts *hosts, struct findings *findings);

/* A rank's node, and its number on that node (LOCAL_RANK). */
struct place {
	int64_t node, slot;
};

struct place topology_place(const struct topology *topology, int64_t rank);

/* The rank in that slot of a node, or -1. */
int64_t topology_rank(const struct topology *topology, int64_t node, int64_t slot);

/* How many ranks a node has. */
int64_t topology_ranks(const struct topology *topology, int64_t node);

/* "gpu-a07", or "node 7" when no names are known. */
const char *topology_name(struct arena *arena, const struct topology *topology, int64_t node);

/* The node of a host's name; without a file of hosts of "node 7", "node7" or "7". -1: there is
 * none. */
int64_t topology_find(const struct topology *topology, const char *name);

enum within {
	WITHIN_NO,
	WITHIN_YES,
	WITHIN_ASSUMED /* yes, if ranks are in blocks (or racks filled in order), as is assumed */
};

/* "no", "yes", "assumed". */
const char *within_name(enum within within);

/* How the groups of a layout lie over nodes. */
struct spans {
	int64_t groups, members;
	int64_t nodes_min, nodes_max;	  /* nodes that one group touches */
	int64_t domains_min, domains_max; /* NVLink domains that one group touches */
	int64_t inside;			  /* groups that keep to one node */
	enum within node, domain;	  /* whether every group keeps to one node, to one domain */
	bool assumed;			  /* another order of ranks could change the answer */
};

/*
 * Exact for every order and every ragged world. False when the layout does not tile the world or
 * (hosts of different sizes, more than 2^24 ranks) nobody could wait for the answer.
 */
bool topology_spans(const struct topology *topology, const struct layout *layout,
		    struct spans *spans);

/*
 * How ranks are taken to follow nodes, in words for first lines: "block ranks assumed", "block
 * ranks", "cyclic ranks", "block ranks, nodes by name".
 */
const char *topology_order(const struct topology *topology);

extern const struct rule_id rule_hosts_too_few, rule_hosts_slots;

#endif
