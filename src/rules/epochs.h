#ifndef RULES_EPOCHS_H
#define RULES_EPOCHS_H

#include "framework/history.h"
#include "rules/changes.h"

/*
 * One config under every version of a range: at which of them its plan, its findings or what stops
 * it changes. A bisect that runs nothing.
 */
struct epoch {
	const struct point *point; /* upstream */
	struct changes changes;	   /* against the point before; versions left out */
};

struct epochs {
	VEC(struct epoch) list;
	size_t quiet; /* points of the range at which nothing changes for this config */
};

/*
 * Walks from `low`, a judged job, to `high`, the version of one framework at the range's end.
 * `from` is the job that was read; its pins are overruled.
 */
struct epochs epochs_between(struct arena *arena, const struct job *from, const struct side *low,
			     const struct version *high);

#endif
