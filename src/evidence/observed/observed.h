#ifndef EVIDENCE_OBSERVED_OBSERVED_H
#define EVIDENCE_OBSERVED_OBSERVED_H

#include "evidence/hang/find.h"
#include "evidence/observed/factorisation.h"

/* What stands behind a claim. */
struct evidence_item {
	struct witness witness;
	const char *what;
};

/* Ranks that show an axis over other groups than the rest do. */
struct disagreement {
	enum role axis;		/* ROLES: there is none */
	int32_t family, other;	/* of most ranks, and of the others */
	VEC(int64_t) ranks;	/* the others */
	struct witness witness; /* a call of theirs */
};

/* What a capture shows of the job: the observed plan. */
struct observed {
	struct arena *arena;
	const struct capture *capture;
	struct families families;
	struct factorisation axes;
	struct disagreement disagreement;
	int64_t steps;	  /* most whole steps that one file with calls covers; 0: not marked */
	size_t useful;	  /* flows that say something of an axis */
	struct hang hang; /* whom the others wait for; set by who asks for it */
};

/* `intended` only decides between families of one role; NULL without a plan. */
struct observed observed_of(struct arena *arena, const struct capture *capture,
			    const struct plan *intended);

/* The degree of an axis as seen; 0: not known. */
int64_t observed_degree(const struct observed *observed, enum role axis);

/* "64 all-gathers of 27,264,000 to 218,112,000 bfloat16 on mesh_fsdp {0-7} by rank 0". */
const char *seen_flow_text(const struct observed *observed, const struct group_flow *flow);

/* "{0-7} {8-15}" of a family; "groups of 8 ranks" where it is not known who is in them. */
const char *family_groups(const struct observed *observed, const struct group_family *family);

#endif
