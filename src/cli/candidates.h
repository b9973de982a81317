#ifndef CLI_CANDIDATES_H
#define CLI_CANDIDATES_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>

/*
 * What can stand on a command line, known from the tables: what a completion offers. The argument
 * of an option ("GPU") and the operands of a command ("RULE | FILE [KEY...]") name rows of this
 * table. To teach completion a new kind of argument, add a row in candidates.c.
 */
struct candidates {
	const char *argument; /* as --help shows it; NULL ends the table */
	bool files;	      /* names of files */
	/* Appends the words, a blank before each. NULL: nobody knows them. */
	void (*list)(struct arena *arena, struct buf *out);
};

extern const struct candidates candidates[];

/* The next row that an argument or operands mention: NULL gives the first, the last gives NULL. */
const struct candidates *candidates_next(const char *text, const struct candidates *after);

/* True for an argument that takes several, separated by commas: "RULE,..." */
bool candidates_are_listed(const char *argument);

/* Lists of the commands that know them. */
void candidates_of_shells(struct arena *arena, struct buf *out);
void candidates_of_manual(struct arena *arena, struct buf *out);

/* The `list` of figures, whose header cannot stand beside those of costs. */
void candidates_of_figures(struct arena *arena, struct buf *out);

#endif
