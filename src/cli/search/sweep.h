#ifndef CLI_SEARCH_SWEEP_H
#define CLI_SEARCH_SWEEP_H

#include "cli/search/request.h"

/*
 * A search for each combination of the values in the file of --sweep, and of several FILEs. The
 * file is a map; each key has a value or a list of them, and a value that is a map itself sets all
 * of its keys together.
 */

/* Whether that is asked for. */
bool search_is_sweep(const struct invocation *invocation, const struct search_request *request);

/* Prints the best of each; the exit status. Dies on what is wrong with the file or the options. */
int search_sweep(const struct invocation *invocation, const struct search_request *request);

#endif
