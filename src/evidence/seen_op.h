#ifndef EVIDENCE_SEEN_OP_H
#define EVIDENCE_SEEN_OP_H

#include <stddef.h>

/* What ranks do together, whoever tells of it. */
enum seen_op {
	SEEN_ALL_GATHER,
	SEEN_REDUCE_SCATTER,
	SEEN_ALL_REDUCE,
	SEEN_ALL_TO_ALL,
	SEEN_SEND,
	SEEN_RECV,
	SEEN_BROADCAST,
	SEEN_REDUCE,
	SEEN_BARRIER,
	SEEN_OTHER,
	SEEN_OPS
};

/* The operation of a name as torch, NCCL or a kernel writes it: "_allgather_base", "AllGather". */
enum seen_op seen_op_of(const char *name, size_t length);

/* "all-gather", ... */
const char *seen_op_name(enum seen_op op);

#endif
