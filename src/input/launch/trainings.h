#ifndef INPUT_LAUNCH_TRAININGS_H
#define INPUT_LAUNCH_TRAININGS_H

#include "input/document.h"

/*
 * The trainings that a script starts, where they are several: a dialect reads one of them, and
 * overrides->training says which others are to be left out.
 */
struct training {
	const struct launch *launch;
	size_t command; /* of the script */
	bool undecided; /* it runs under a condition that nothing here decides */
	bool sure;	/* a framework's own program, or the same program as another of them */
};

struct trainings {
	VEC(struct training) list;
};

/* All commands of the document's script that may train; none of a document that is no script. */
struct trainings trainings_of(const struct document *document);

/* Leaves of them only the one of that number, from 1 on; 0 leaves all. */
void trainings_keep(struct document *document, size_t number);

#endif
