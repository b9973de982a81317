#ifndef COST_NCCL_LOG_LINES_H
#define COST_NCCL_LOG_LINES_H

#include "base/pattern.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Lines of NCCL_DEBUG=INFO of NCCL 2.7 to 2.30 (src/init.cc, src/enqueue.cc of NVIDIA/nccl), one
 * function for each kind that several readers need. Numbers that a version does not print are -1,
 * names empty.
 */
struct nccl_lines {
	struct pattern *prefix, *communicator, *nodes, *call, *version;
};

enum { NCCL_WORD = 64 };

/* Compiles the expressions; only the arena owns anything but their machine code. */
void nccl_lines_open(struct nccl_lines *lines, struct arena *arena);
void nccl_lines_close(struct nccl_lines *lines);

/* Who says what. */
struct nccl_line {
	char process[NCCL_WORD]; /* "host:pid" */
	int64_t told; /* 3 of "[rank3]:", "[1,3]<stdout>:", "3: ", as launchers put before lines; or
			 -1 */
	const char *text; /* what stands behind "NCCL INFO ", to the end of the line */
	size_t length;
};

/* False: no such line; its process is not known when only the prefix is damaged (then true). */
bool nccl_lines_split(struct nccl_lines *lines, const char *text, size_t length,
		      struct nccl_line *line);

enum nccl_made {
	NCCL_STARTED, /* "Init START", from 2.18 on */
	NCCL_MADE,
	NCCL_ENDED /* "Destroy COMPLETE", "Abort COMPLETE" */
};

/* A communicator's beginning or end. */
struct nccl_communicator {
	char pointer[NCCL_WORD], parent[NCCL_WORD], identity[NCCL_WORD], bus[NCCL_WORD];
	int64_t rank, ranks;	   /* the process's in it, and how many it has */
	int64_t split, color, key; /* of one that ncclCommSplit made from its parent */
	enum nccl_made made;
};

bool nccl_lines_communicator(struct nccl_lines *lines, const struct nccl_line *line,
			     struct nccl_communicator *found);

/* "comm 0x5 rank 0 nRanks 16 nNodes 2 ...", from 2.20 on: pointer, rank, ranks; nodes behind. */
bool nccl_lines_nodes(struct nccl_lines *lines, const struct nccl_line *line,
		      struct nccl_communicator *found, int64_t *nodes);

/* A call, as NCCL_DEBUG_SUBSYS=COLL prints it. */
struct nccl_call {
	char op[NCCL_WORD], pointer[NCCL_WORD];
	int64_t count, datatype, root, ranks;
};

bool nccl_lines_call(struct nccl_lines *lines, const struct nccl_line *line,
		     struct nccl_call *call);

/* "2.27.5" of "NCCL version 2.27.5+cuda12.9", which has no prefix. */
bool nccl_lines_version(struct nccl_lines *lines, const char *text, size_t length,
			char version[NCCL_WORD]);

#endif
