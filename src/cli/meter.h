#ifndef CLI_METER_H
#define CLI_METER_H

#include "base/progress.h"

/*
 * The progress of a command on stderr, where that is a terminal: nothing for half a second, then a
 * line that says what is known of how far it is, gone again before anything else is written.
 */
struct meter {
	bool on;
	double start; /* seconds of the monotonic clock */
	struct progress progress;
};

/* Starts waiting. Off when stderr is no terminal, or one that cannot erase (TERM=dumb). */
void meter_start(struct meter *meter);

/* `done` of `total` files, or what progress.unit says, are behind us. */
void meter_step(struct meter *meter, size_t done, size_t total);

/* The same of layouts, as struct passage takes it. */
void meter_layouts(void *meter, size_t done, size_t total);

/* Takes the line away: before a message on stderr, and before the product goes to stdout. */
void meter_clear(struct meter *meter);

/* Ends it; nothing is shown from now on. */
void meter_stop(struct meter *meter);

#endif
