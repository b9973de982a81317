#ifndef CLI_SEARCH_WRITE_H
#define CLI_SEARCH_WRITE_H

#include "cli/command.h"
#include "search/result.h"

/*
 * Writes the best layouts into a folder: 01-NAME, 02-NAME, ... each the user's config with its
 * values in place. What the config cannot say is in 01-NAME.flags, one option a line. Dies where a
 * file is there already or cannot be written.
 */
void search_write(const struct invocation *invocation, const char *folder,
		  const struct search *search, const struct result *result, const struct job *own);

#endif
