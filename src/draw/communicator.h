#ifndef DRAW_COMMUNICATOR_H
#define DRAW_COMMUNICATOR_H

#include "base/vec.h"
#include "draw/cluster.h"
#include "plan/plan.h"

#include <stdbool.h>

/* The communicators of a plan: what each is made of, what goes over it, which links it crosses. */

/* Who sends to whom inside a group. */
enum pattern {
	PATTERN_RING,  /* each to the next, the last to the first: what NCCL's rings come down to */
	PATTERN_CHAIN, /* each to the next: pipeline stages */
	PATTERN_PAIRS  /* each to each: all-to-all */
};

struct communicator {
	const char *name;
	struct layout layout;
	const char *parent; /* the n-D mesh it is an axis of ("dense"), or "" */
	const struct mesh *mesh;
	const char *from;    /* "dp_shard × cp": the axes it is flattened from; or NULL */
	const char *like;    /* an earlier one of exactly these groups, or NULL */
	bool made;	     /* a process group is made for it */
	const char *carries; /* "all-gather of parameters ..."; NULL: not known */
	bool idle;	     /* no collective of its own */
	enum pattern pattern;
	int hue; /* equal for equal groups, until colours repeat; -1: nothing goes over them */
};

struct communicators {
	VEC(struct communicator) list; /* axes of one n-D mesh side by side, then flattened ones */
	int hues; /* sets of groups over which something goes; HUES colours are for them */
	const char *single; /* names of those of one rank, "ep, etp"; or NULL */
};

struct communicators communicators_of(struct arena *arena, const struct plan *plan);

/* The messages of one group by the links they take. */
struct crossing {
	bool known;   /* false: nobody knows how many GPUs a node has */
	bool counted; /* `hops` and `far` hold */
	bool inside;  /* every group keeps to one node (to one NVLink domain) */
	bool domains; /* places are NVLink domains of several nodes, not nodes */
	int64_t hops; /* of the first group: steps of its ring or chain; of pairs: peers of a rank
		       */
	int64_t far; /* those of them between nodes (domains); rings enter a node once, as NCCL's do
		      */
	int64_t places; /* nodes (domains) that one group touches, at most */
};

struct crossing crossing_of(const struct cluster *cluster, const struct communicator *communicator);

/* The node, or NVLink domain of several nodes, of a rank; 0 when nodes are not known. */
int64_t place_of_rank(const struct cluster *cluster, int64_t rank);

#endif
