#ifndef CLI_SEARCH_ONE_H
#define CLI_SEARCH_ONE_H

#include "cli/search/request.h"
#include "search/result.h"

/* One search, from its options to its result. */
struct one {
	struct search *search;
	struct passage passage;
	struct job *own;    /* the config as it is */
	struct job *broken; /* the job whose errors leave nothing to be searched, or NULL */
	struct result *result;
};

/* Reads config and options. Dies on what is wrong with them, but for findings about the config. */
void search_open(struct one *one, const struct invocation *invocation,
		 struct search_request *request);

/* Decides all layouts or a part of them, or adds parts up. */
void search_conclude(struct one *one, const struct invocation *invocation,
		     const struct search_request *request);

/* Makes the result of what was decided. */
void search_result(struct one *one);

#endif
