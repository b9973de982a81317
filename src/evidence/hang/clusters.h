#ifndef EVIDENCE_HANG_CLUSTERS_H
#define EVIDENCE_HANG_CLUSTERS_H

#include "evidence/hang/facts.h"

/*
 * Process groups of the job, joined from what each rank calls its own. Where members are not told
 * they follow from ranks' numbers in the groups of one kind: a rank's number is (rank / stride) %
 * size for every one of them, or nothing is concluded.
 */
struct cluster {
	const char *family; /* "mesh_tp": groups of one kind */
	const char *desc;   /* as people know it; "" */
	int64_t *ranks;	    /* by number in the group; NULL: members are not known */
	int64_t size;
	int64_t stuck;	  /* number of the first collective that somebody waits in; -1: none */
	double since;	  /* when the first of them began to; -1: not told */
	int64_t *reached; /* by number in the group: the last call the rank came to; -1 */
	int64_t *told;	  /* the same as its status tells; -1 */
	int64_t *done;	  /* the last call that it has completed, as its status tells; -1 */
};

struct clusters {
	VEC(struct cluster) list;
	struct map index;
	int64_t *of_call; /* index into list, of facts' calls */
	int64_t world;	  /* 0: not known */
};

struct clusters clusters_of(struct arena *arena, const struct hang_facts *facts);

/* The number of a rank in the group; -1: it is not in it, or members are not known. */
int64_t cluster_seat(const struct cluster *cluster, int64_t rank);

/* "mesh_tp {16-23}"; NULL where the group has neither name nor members. */
const char *cluster_text(struct arena *arena, const struct cluster *cluster);

#endif
