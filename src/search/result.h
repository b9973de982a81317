#ifndef SEARCH_RESULT_H
#define SEARCH_RESULT_H

#include "search/search.h"
#include "search/written.h"

/* A layout that is proposed. */
struct proposal {
	struct outcome outcome;
	struct written written;
	size_t position; /* among all that run, from 1; 0: not all that are better are known */
	bool same;	 /* as good as the best, as far as forecasts can tell */
	bool front;	 /* none is faster and leaves more memory free */
	bool top;	 /* one of those asked for; others are here for the front alone */
};

/* What one step on one axis, and nothing else that need not follow, does to the best. */
struct neighbour {
	enum axis axis;
	int64_t value;
	struct outcome outcome;
	bool unsaid; /* better than the best, which the config can be told and this not */
};

struct result {
	struct arena *arena;
	VEC(struct proposal) proposals; /* by position */
	size_t same;	 /* proposals that are as good as the best, itself among them */
	size_t simplest; /* of those the one that is cut along the fewest axes, of such the best */
	VEC(struct neighbour) neighbours;
	struct outcome nearest; /* where nothing runs, what comes nearest (nearest.h); or no time */
	const char *words;	/* where nothing comes near, what one is refused with; or NULL */
	size_t runs;	/* candidates that run, less those that were found not to when written */
	size_t current; /* position of the config as it is; 0: it does not run, is none, is not
			   among what was searched, or not all that are better are known */
	size_t ahead;	/* that are known to be better than the config as it is */
	bool decided;	/* every layout was */
	bool proven;	/* by bounds that all forecasts bore out, too: none can be better */
};

/* Of a search that is finished. */
void result_make(struct result *result, struct search *search);

/* What a value of an axis is called: "8", "full". */
const char *result_value(const struct space *space, enum axis axis, int64_t value,
			 struct arena *arena);

/* Why it is not proven, behind a sentence: "; ..."; or "". */
const char *result_doubt(const struct result *result);

#endif
