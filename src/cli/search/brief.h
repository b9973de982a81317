#ifndef CLI_SEARCH_BRIEF_H
#define CLI_SEARCH_BRIEF_H

#include "cli/command.h"
#include "draw/figure.h"

/*
 * Searches over the layouts of a config without a word on how, and puts what is found into the
 * subject of a figure, with the config as it is where that runs. NULL, or why nothing can be
 * searched.
 */
const char *search_brief(const struct invocation *invocation, const char *path,
			 const struct overrides *overrides, struct subject *subject);

#endif
