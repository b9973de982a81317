#ifndef EVIDENCE_OBSERVED_FAMILIES_H
#define EVIDENCE_OBSERVED_FAMILIES_H

#include "base/map.h"
#include "evidence/evidence.h"
#include "plan/layout.h"

/*
 * The normal form of a capture. Groups are told apart by who is in them, never by name: those of
 * one shape are a family, which tiles the world when it is an axis. Calls on them are flows: equal
 * calls of one rank, counted. Groups of gloo are left out unless the job has no accelerator
 * backend, "fake" ones always.
 */

/* What calls on a group are for. */
enum seen_role {
	SEEN_UNKNOWN,	/* nothing that fits */
	SEEN_CONTROL,	/* losses, norms, counts, barriers */
	SEEN_SHARD,	/* parameters gathered, gradients scattered: FSDP, ZeRO-3 */
	SEEN_REPLICATE, /* scattered gradients all-reduced between copies */
	SEEN_DDP,	/* whole gradients all-reduced */
	SEEN_ZERO,	/* gradients reduced and parameters gathered once a step: ZeRO-1, ZeRO-2 */
	SEEN_TENSOR,	/* activations gathered and scattered: tp with sequence parallelism */
	SEEN_TENSOR_PLAIN, /* activations all-reduced: tp without it */
	SEEN_PIPELINE,
	SEEN_CONTEXT,
	SEEN_EXPERT,
	SEEN_BUFFERS, /* broadcasts: parameters at the start, buffers of batch norms, batches */
	SEEN_ROLES
};

struct group_family {
	int64_t size;		 /* ranks of a group; 0: not known */
	bool members;		 /* it is known which */
	bool regular;		 /* they are a layout, aligned to it */
	struct layout layout;	 /* when regular: canonical */
	VEC(int64_t) starts;	 /* first ranks of the groups seen, when members are known */
	VEC(const char *) names; /* descriptions, or names of those without */
	struct map seen;	 /* of names and starts, so that each is there once */
	bool extrapolated;	 /* not all groups that tile the world were seen */
	bool told;		 /* somebody tells of the group; else calls alone imply it */
	struct witness witness;
};

struct group_flow {
	int32_t family;
	int64_t start; /* first rank of its group; -1: not known */
	struct seen_call call;
	VEC(int64_t) steps;  /* that it was seen in; empty: not marked */
	enum seen_role role; /* filled by roles_find */
	bool strong;	     /* the role follows from sizes or shapes, not from names */
};

struct families {
	struct arena *arena;
	int64_t world; /* 0: not known */
	VEC(struct group_family) list;
	VEC(struct group_flow) flows;
	int32_t *of_group;  /* by index of capture.groups: family, or -1: left out */
	VEC(int64_t) ranks; /* whose calls were seen, rising; without -1 */
	bool cut;	    /* of some rank not all calls have a role: there are too many */
};

struct families families_of(struct arena *arena, const struct capture *capture);

/* "mesh_fsdp", or "groups of 8 ranks" where nobody gave a name. */
const char *family_name(struct arena *arena, const struct group_family *family);

/* Elements of the larger side of a call; -1: not known. */
int64_t flow_elements(const struct group_flow *flow);

#endif
