#ifndef EVIDENCE_OBSERVED_ROSTER_H
#define EVIDENCE_OBSERVED_ROSTER_H

#include "base/map.h"
#include "evidence/evidence.h"

/*
 * What processes tell of NCCL's communicators: each by its own rank in them, none by its rank in
 * the job. When all is told, the largest communicator, in which every process has one place, is
 * taken for the world; places in it are global ranks. Communicators whose members are known by then
 * become groups with members; others stay apart, with an identity by which what other files
 * tell can be joined to them.
 */
struct roster_process {
	const char *name, *host; /* "host:pid" */
	int64_t told; /* rank, as a launcher says, who may mean the rank on its node; -1 */
	int64_t rank; /* found: global; -1: not known */
	bool gone;    /* it was restarted: nothing it told counts */
};

struct roster_call {
	struct seen_call call; /* its peer is a place in the communicator */
	int64_t record;
};

/* One process in one communicator. */
struct roster_member {
	int32_t process;
	const char *name;     /* as the process calls it */
	const char *identity; /* what all members call it, or NULL */
	int64_t size, place, nodes;
	int64_t color, key;   /* of the ncclCommSplit that made it; -1 */
	int64_t record;	      /* where it is told of */
	bool gone;	      /* of an earlier start */
	const int64_t *ranks; /* found */
	VEC(struct roster_call) calls;
	struct map index; /* of calls, by all but their count */
};

struct roster {
	struct evidence_intake *intake;
	struct arena *arena;
	VEC(struct roster_process) processes;
	struct map index; /* of processes, by name */
	VEC(struct roster_member *) members;
	struct map colors; /* of decoded, by size and colour */
	VEC(const int64_t *) decoded;
	int64_t world; /* found: ranks of the communicator taken for the world; 0: none */
	bool proven;   /* all of its processes were seen */
	bool told;     /* ranks are those that launchers say */
	bool filtered; /* set by readers: communicators of small calls are not told of, so that the
			  largest need not be the world */
};

void roster_init(struct roster *roster, struct evidence_intake *intake);

/* Index of the process of that name and host, which are copied when it is new. */
int32_t roster_process(struct roster *roster, const char *name);

/* A new member, of places that are not known (-1) until they are set. */
struct roster_member *roster_member(struct roster *roster, int32_t process, int64_t size);

/* Counts a call; equal ones but for `count` are added up. */
void roster_call(struct roster *roster, struct roster_member *member, const struct seen_call *call);

/* Finds who is who and hands everything to the intake's capture. */
void roster_close(struct roster *roster);

#endif
