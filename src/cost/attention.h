#ifndef COST_ATTENTION_H
#define COST_ATTENTION_H

#include "cost/kernel.h"

#include <stdbool.h>

/* Whose kernels compute it without writing scores. */
enum attention_kind {
	ATTENTION_SECOND, /* FlashAttention 2 */
	ATTENTION_FIRST,
	ATTENTION_TRITON, /* the first in Triton */
	ATTENTION_ASYNC,  /* those that feed the tensor cores of Hopper and Blackwell by
			     themselves: cuDNN's, FlashAttention 3 and 4 */
	ATTENTION_WIDE	  /* PyTorch's memory-efficient one of fp32 */
};

/*
 * The attention core: products of queries with keys, a softmax over the past, products with values.
 */
struct attention_core {
	double pairs; /* of a query and a key, of all heads and sequences, the future included */
	double seq;   /* keys of one query at most */
	double heads; /* of all sequences */
	double width; /* of a head's keys and values together */
	enum attention_kind kind;
	bool odd;		 /* the head size is no multiple of 8 */
	enum format_kind format; /* of products and scores where they are written */
	bool chained;		 /* scale, mask and softmax are kernels of their own */
};

/*
 * Of the pairs of a query and what is before it the share that a window of so many tokens leaves:
 * it slides along with the query, or is one of the pieces that a sequence is cut in.
 */
double attention_seen(double seq, double window, bool pieces);

/* Seconds. */
struct attention_time {
	double forward, backward;
};

/* One kernel that never writes scores. */
struct attention_time attention_fused(const struct profile *profile,
				      const struct attention_core *core);

/* Two products, with the scores written, masked, normalised and read between them. */
struct attention_time attention_scores(const struct profile *profile,
				       const struct attention_core *core);

#endif
