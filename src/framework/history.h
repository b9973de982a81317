#ifndef FRAMEWORK_HISTORY_H
#define FRAMEWORK_HISTORY_H

#include "framework/version.h"

/*
 * The histories of a framework and of PyTorch as one list of points, at each of which a job may
 * come out otherwise than before.
 */
struct point {
	const char *framework; /* whose change it is: "torchtitan", "torch", "torchft" */
	const char *version; /* can be named as a version of it: "d7cabfb6c", "2.9", "2024-11-01" */
	const char *what;    /* what changed upstream */
	moment_t when;	     /* 0 for a release of PyTorch, which goes by its number */
	struct pin pins[2];  /* that take a job there */
	size_t pin_count;
};

struct history {
	VEC(struct point) list; /* oldest first */
};

/* What besides the framework's own commits a job follows from one of its versions to the next. */
struct following {
	bool torch;			 /* the nightlies of the date */
	bool torchft;			 /* the same */
	moment_t (*keys)(moment_t when); /* a dialect's next_change: its file's keys come and go on
					    days without a commit here. Or NULL */
};

/* True for what has a recorded history: a framework with a timeline of commits, torch. */
bool history_known(const char *framework);

/* The points later than `low` up to `high`, two versions of one such framework. */
struct history history_between(struct arena *arena, const struct version *low,
			       const struct version *high, struct following following);

/* True when `a` is later than `b`. */
bool version_later(struct arena *arena, const struct version *a, const struct version *b);

#endif
