#ifndef EVIDENCE_HANG_FIND_H
#define EVIDENCE_HANG_FIND_H

#include "evidence/hang/facts.h"

/* A rank that the others wait for, or that ended before. */
struct culprit {
	int64_t rank;
	enum culprit_class {
		CULPRIT_MISSING,
		CULPRIT_BEHIND,
		CULPRIT_MISMATCHED,
		CULPRIT_DIED
	} class;
	const char *host;  /* NULL: not known */
	int64_t gpu;	   /* on its host; -1 */
	const char *group; /* "mesh_tp {16-23}"; NULL: not known */
	int64_t sequence;  /* of the call that the others wait in; -1 */
	const char *says;  /* a sentence: what it did, and what the others do */
	double time;	   /* when it failed or they began to wait; -1 */
};

struct hang {
	VEC(struct culprit) culprits;
	int64_t world;	   /* 0: not known */
	int64_t waiting;   /* ranks */
	const char *where; /* how many wait in which groups; NULL */
};

const char *culprit_class_name(enum culprit_class class);

/*
 * Who is to blame. What is told of some ranks alone blames nobody: who is missing can be said only
 * where all others were heard of.
 */
struct hang hang_find(struct arena *arena, struct hang_facts *facts);

#endif
