#ifndef SIM_ROLLOUT_H
#define SIM_ROLLOUT_H

#include "sim/memory.h"

/*
 * An engine that generates on the cards of the trainer, in turn with it: each sleeps while the
 * other works, but for what the trainer keeps on its card.
 */
enum rollout_end {
	ROLLOUT_STARTS,
	ROLLOUT_NO_CACHE, /* its weights leave no room for keys and values */
	ROLLOUT_NO_ROOM	  /* what the trainer keeps and what it takes are more than there is */
};

struct rollout {
	double share;	/* of a card's memory that it takes; 0: there is none, or it is not said */
	double taken;	/* bytes */
	double weights; /* of a rank of it, in 16 bits */
	double tokens;	/* whose keys and values have room in the rest, at most */
	double trainer; /* bytes that the trainer keeps meanwhile: state, context, communicators */
	enum rollout_end end;
};

struct rollout rollout_of(const struct workload *work, const struct memory *memory);

/* What the engine says when it does not start, or NULL. */
const char *rollout_quote(enum rollout_end end);

#endif
