#ifndef EVIDENCE_HANG_FACTS_H
#define EVIDENCE_HANG_FACTS_H

#include "base/map.h"
#include "base/vec.h"
#include "evidence/observed/rank_set.h"
#include "evidence/seen_op.h"

#include <stdbool.h>

/*
 * What is told of where ranks stood when their job stopped: calls that did not end, numbers of the
 * last calls, where in Python a rank was, who ended first, and on which host everybody ran.
 */
struct hang_group {
	const char *uid, *desc; /* "25" or "", "mesh_fsdp" or "" */
	bool shared;		/* the uid is that of all its ranks, and no other group's */
	const int64_t *ranks;	/* rising; NULL: not told */
	int64_t size;
	const char *members; /* the same as a text; set by hang_facts_group */
};

enum hang_state { HANG_WAITS, HANG_DONE };

/* A call of a rank; of logs only those that timed out. */
struct hang_call {
	int64_t rank, local;	/* of the world, in the group (-1: not told) */
	uint32_t group;		/* index into groups */
	int64_t sequence, peer; /* peer: global rank of a send or receive; -1 */
	enum seen_op op;
	const char *name;  /* as it was printed */
	int64_t in, out;   /* elements; -1: not told */
	const char *dtype; /* "" where it is not told */
	enum hang_state state;
	double since; /* seconds, when it began to wait; -1: not told */
};

/* The last numbers of a rank in a group; -1: not told. */
struct hang_seat {
	int64_t rank, local;
	uint32_t group;
	int64_t enqueued, completed;
};

struct hang_place {
	int64_t rank;
	const char *host; /* NULL: not told */
	int64_t gpu;	  /* on that host; -1 */
};

/* Somebody who is told of by name: a barrier's missing rank, one whose process ended. */
struct hang_named {
	int64_t rank;
	enum hang_fate { HANG_MISSING, HANG_BEHIND, HANG_MISMATCHED, HANG_DIED } fate;
	const char *how;  /* "did not pass a monitored barrier" */
	int64_t sequence; /* -1 */
	double time;	  /* -1 */
};

/* The Python stack of a rank, outermost frame first: "train_step (train.py:402)". */
struct hang_stack {
	int64_t rank;
	VEC(const char *) frames;
};

/* A process that told of a communicator: its rank there, and where it runs. */
struct hang_comm_seat {
	int64_t rank, size;
	struct hang_place place;
};

struct hang_facts {
	struct arena *arena;
	int64_t world; /* as told; 0: not told */
	bool recorded; /* flight recorders were read: all calls of a rank are known */
	struct rank_set heard;
	VEC(struct hang_group) groups;
	VEC(struct hang_call) calls;
	VEC(struct hang_seat) seats;
	VEC(struct hang_place) places; /* by rank */
	VEC(struct hang_comm_seat) comm_seats;
	VEC(struct hang_named) named;
	VEC(struct hang_stack) stacks;
	struct map group_index, call_index, seat_index, comm_index;
};

void hang_facts_init(struct hang_facts *facts, struct arena *arena);

/* Index of the group of that name; `ranks` must outlive the facts. */
uint32_t hang_facts_group(struct hang_facts *facts, struct hang_group group);

/* A rank that is told of takes part, whatever else is known of it. */
void hang_facts_hear(struct hang_facts *facts, int64_t rank);

void hang_facts_call(struct hang_facts *facts, struct hang_call call);
void hang_facts_seat(struct hang_facts *facts, struct hang_seat seat);

/* All calls of one rank that its flight recorder holds, but what it completed long ago. */
void hang_facts_recorded(struct hang_facts *facts, const struct hang_call *calls, size_t count);

/* Host (copied; NULL: not told) and GPU of a rank. */
void hang_facts_place(struct hang_facts *facts, int64_t rank, const char *host, size_t length,
		      int64_t gpu);

/* The same of a rank of a communicator, which is the world's where that is the largest one. */
void hang_facts_comm(struct hang_facts *facts, int64_t rank, int64_t size, const char *host,
		     size_t length, int64_t gpu);

void hang_facts_name(struct hang_facts *facts, struct hang_named named);

/* Where a rank ran; NULL: not told. */
const struct hang_place *hang_facts_where(const struct hang_facts *facts, int64_t rank);

/* What is known when everything was read: who sat in the largest communicator, the world. */
void hang_facts_settle(struct hang_facts *facts);

/* Whether anybody waited, was named, or showed a stack. */
bool hang_facts_any(const struct hang_facts *facts);

#endif
