#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "search/bound.h"
#include "search/front.h"

#include <signal.h>

/*
 * Branch and bound. One deterministic pass forecasts a few candidates, the incumbents; bounds prune
 * against these alone, so that what is decided of a candidate never depends on what else was
 * decided before it, by whom, or in which order. What cannot be among the results, and could not be
 * on the front of time and free memory either, is cut.
 */

/* Why candidates are not among the results. */
struct cut {
	enum {
		CUT_RULE,
		CUT_UNFORECAST,
		CUT_MEMORY,
		CUT_MEMORY_BOUND,
		CUT_BOUND,
		CUT_WORSE,
		CUT_SLOW,
		CUT_UNWRITTEN
	} why;
	const struct rule_id *rule; /* CUT_RULE: it alone */
	uint64_t count;
};

struct tally {
	VEC(struct cut) cuts;
	uint64_t simulated; /* candidates that were forecast */
	uint64_t decided;
};

/* Values of degrees that the framework refuses at a site, whatever all others are. */
struct refused {
	const struct rule_id *rule;
	int64_t site;
	struct reasons reasons;
	int64_t values[4];
};

/* What is to be found, and what was. */
struct search {
	struct arena *arena;
	struct space space;
	const struct job *own; /* the config as it is */
	const struct job
		*yours;	     /* the same, on the machine that options name where it names none */
	const char *parplan; /* our version, which parts are of */
	struct aim aim;
	size_t top;
	double within;	 /* a share of the best score; 0: only the top ones are wanted */
	bool exhaustive; /* nothing is cut by bounds, which are held against what is simulated */
	struct lost {	 /* nodes that are gone */
		VEC(const char *) list;
		int64_t left; /* nodes that are not */
	} lost;
	bool priced;		    /* --price says what an hour of a device costs */
	struct outcome current;	    /* yours; of no rule and no time: there is none */
	VEC(const char *) excluded; /* options that keep it from what is searched (excluded.h) */

	bool watched;	  /* search_watch() */
	sigset_t signals; /* that were blocked before */
	double deadline;  /* seconds of the monotonic clock; 0: none */

	struct bounds bounds;
	VEC(struct outcome) incumbents; /* that run, by score */
	VEC(struct outcome) ahead;	/* of them, those on the front of time and free memory */
	VEC(struct refused) refusals;
	double fastest;	   /* seconds of the fastest incumbent */
	double worst[2];   /* a score: what is worse is not among the results, but for the front */
	double counted[2]; /* a score, no better: so many are counted, for the place of the config
			      as it is */
	VEC(struct outcome) runs; /* all that were found to run and are not too slow */
	struct tally tally;
	size_t layouts; /* that were decided */
};

/* Settles bounds and incumbents, once space, aim and options are there; fewer if it must stop. */
void search_prepare(struct search *search);

/* Whether Ctrl-C was pressed or the time is over since search_watch(). */
bool search_must_stop(const struct search *search);

/* Decides all candidates of a region. */
void search_region(struct search *search, size_t region);

/* Whether a step that takes so long, and leaves so much free, is behind an incumbent's. */
bool search_off_front(const struct search *search, double time, double free);

/* Whether the config as it is, on its own number of devices, has a place among the layouts. */
bool search_compares(const struct search *search);

/* The better score is below 0. */
int score_compare(const double a[2], const double b[2]);

/* Whether bounds put it above the risk that is taken; the best score that they allow. */
bool bound_too_large(const struct search *search, const struct bound *bound);
void bound_score(const struct search *search, const struct candidate *candidate,
		 const struct bound *bound, double score[2]);

/* Counts a cut of so many candidates. */
void tally_cut(struct tally *tally, struct arena *arena, struct cut cut);

/* Whether a score is so good that all better ones are known. */
bool search_knows(const struct search *search, const struct outcome *outcome);

/* Sorts what was found, when all layouts are decided. */
void search_finish(struct search *search);

#endif
