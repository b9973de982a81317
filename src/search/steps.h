#ifndef SEARCH_STEPS_H
#define SEARCH_STEPS_H

#include "search/space.h"

/* One step on one axis, and nothing else that need not follow. */
struct step_to {
	enum axis axis;
	int64_t value;
	struct candidate candidate;
	uint64_t number;
};

struct steps {
	VEC(struct step_to) list;
};

/* All candidates that are one step from one, by axis. */
void steps_from(const struct space *space, const struct candidate *from, struct arena *arena,
		struct steps *steps);

#endif
