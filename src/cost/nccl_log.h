#ifndef COST_NCCL_LOG_H
#define COST_NCCL_LOG_H

#include "base/vec.h"
#include "cost/measurement.h"

/*
 * What NCCL's log says of communicators of one size: the times and bandwidths that it chooses by,
 * the channels that its search found, and what it chose.
 */
struct nccl_log {
	struct measurement at; /* device, ranks, nodes, network, version; no times */
	struct nccl_printed printed;
	VEC(struct nccl_said) choices; /* each once */
};

struct nccl_said {
	const struct collective *op;
	double bytes;
	enum nccl_algorithm algorithm;
	enum nccl_protocol protocol;
};

bool nccl_log_has_tables(const struct nccl_log *log);

/* The `nccl` list of a profile file: tables and channels, not the choices. */
void nccl_logs_write(const struct measurements *tables, struct buf *out);
void nccl_logs_of_profile(struct arena *arena, const struct node *root, struct measurements *into,
			  struct findings *findings);

#endif
