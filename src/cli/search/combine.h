#ifndef CLI_SEARCH_COMBINE_H
#define CLI_SEARCH_COMBINE_H

#include "cli/command.h"
#include "report/search/sweep.h"

/*
 * One row for each combination of the FILEs, where there are several, and of the values in the file
 * of --sweep `path`, or NULL. Dies on what is wrong with the file.
 */
void combine(const struct invocation *invocation, const char *path, struct sweep_rows *rows);

/* A digest of what all rows set, their FILEs aside. */
const char *combine_digest(const struct sweep_rows *rows, struct arena *arena);

/*
 * A name for the folder of a row: its number of so many, then its values, in plain letters alone.
 */
const char *combine_name(const struct sweep_row *row, size_t number, size_t of,
			 struct arena *arena);

#endif
