#ifndef SEARCH_WORKERS_H
#define SEARCH_WORKERS_H

#include "search/search.h"

/* How a search is gone through. */
struct passage {
	size_t jobs;	      /* processes; 1: this one alone */
	size_t shard, shards; /* of all regions the shard-th part, from 1; 0: all of them */
	size_t before;	      /* regions of searches that are cut into the same parts as this one */
	void (*progress)(void *context, size_t done, size_t total);
	void *context;
	bool interrupted; /* set: Ctrl-C, or the seconds are over */
};

/*
 * From now until the search is decided Ctrl-C, and the end of so many seconds (0: none), stop it
 * rather than the program.
 */
void search_watch(struct search *search, double seconds);

/*
 * Decides the layouts of a search that is watched and prepared, by so many processes. What they
 * find is the same however many there are. Where it is stopped, at the next layout, the search is
 * as far as it got, and what preparing it has found to run is among the results. NULL, or what went
 * wrong.
 */
const char *search_decide(struct search *search, struct passage *passage);

#endif
