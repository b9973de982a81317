#ifndef EVIDENCE_OBSERVED_COMMS_H
#define EVIDENCE_OBSERVED_COMMS_H

#include "base/map.h"
#include "evidence/evidence.h"
#include "evidence/observed/ranks.h"

/*
 * What the traces of one process tell of its communication, until all of the file is read: groups
 * may be told of behind the calls on them, steps behind what they cover.
 */
struct node;

/* A group by its name, as the list of groups has it or, without that, as the calls on it do. */
struct comms_group {
	const char *name, *desc, *backend;
	int64_t size;
	struct rank_list members;
	int64_t start, stride; /* of regular members, where calls say so; stride 0: not said */
	int32_t index;	       /* in capture.groups */
};

struct comms_call {
	size_t group; /* into comms.groups */
	double at;    /* when, in the clock of the steps */
	int64_t id;   /* that its kernel shares; -1: none */
	int64_t peer; /* of SEND and RECV in the group, where no global rank is told; -1 */
	int64_t record;
	struct seen_call seen;
};

/* [from, to) of the clock. */
struct comms_step {
	double from, to; /* in the clock */
	double time;	 /* us */
	int64_t number, record;
};

struct comms_kernel {
	int64_t id;
	double time; /* us */
};

struct comms {
	struct evidence_intake *intake;
	struct arena *arena; /* what goes with the file */
	struct map names;
	int64_t rank, world; /* -1, 0: not told */
	VEC(struct comms_group) groups;
	VEC(struct comms_call) calls;
	VEC(struct comms_step) steps;
	VEC(struct comms_kernel) kernels;
};

void comms_begin(struct comms *comms, struct evidence_intake *intake, struct arena *arena);

/* Index of the group of that name, which may be new. */
size_t comms_group(struct comms *comms, const char *name);

/* A list of rows with pg_name, pg_desc, backend_config, pg_size (or group_size) and ranks. */
void comms_configure(struct comms *comms, const struct node *rows);

/* Puts groups and calls into the evidence, each call in its step and with the time of its kernel.
 */
void comms_finish(struct comms *comms);

#endif
