#ifndef REPORT_RESHARD_RESHARD_H
#define REPORT_RESHARD_RESHARD_H

#include "base/pattern.h"
#include "framework/loading.h"

/* What `parplan reshard` found. */
struct reshard_report {
	struct job *job; /* the new one */
	const struct loading *loading;
	VEC(const struct finding *) findings; /* on saving and resuming, sorted */
	bool refused;			      /* one of them is an error */
	bool listed;			      /* the reads of `rank` are wanted */
	int64_t rank;
	struct readings readings; /* of that rank, those of `param` only */
	struct pattern *param;	  /* NULL: all tensors */
	double storage, node;	  /* 10^9 bytes per second, of all nodes and of one; 0: not given */
	int64_t per_node;	  /* ranks; 0: not known */
	bool expand;		  /* every rank in JSON, also beyond RANKS_LISTED */
};

/* Seconds that reading takes at the given bandwidths, and which of them decides. */
struct reshard_time {
	bool known;
	double seconds;
	bool by_node; /* the busiest node decides, not the storage */
	int64_t node, node_bytes;
};

/*
 * max(bytes of all ranks / storage, bytes of the busiest node / node): nothing but bandwidth, with
 * all ranks reading at once and nothing cached.
 */
struct reshard_time reshard_time(const struct reshard_report *report);

void report_reshard_json(const struct reshard_report *report, struct buf *out);
void report_reshard_text(const struct reshard_report *report, struct buf *out, bool color,
			 int columns);

#endif
