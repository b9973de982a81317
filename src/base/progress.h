#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Seconds before a job says how far it is, and between two such lines. */
#define PROGRESS_AFTER 0.5
#define PROGRESS_EVERY 0.1

/*
 * How far a job is, for somebody who waits at a terminal. It asks no clock and writes to no file:
 * its owner says how many seconds have gone by and writes what comes out of it.
 */
struct progress {
	const char *unit; /* what a step is of: "layouts"; NULL: files */
	size_t total;	  /* steps there are; 0: not known */
	size_t done;	  /* steps behind it */
	double shown;	  /* when the line was last written, in seconds since the start; 0: never */
};

/* Appends the line that stands on the terminal from now on; false when it is not time for one. */
bool progress_line(struct progress *progress, double seconds, struct buf *out);

/* Appends what removes a line, when one may stand there. */
void progress_erase(const struct progress *progress, double seconds, struct buf *out);

#endif
