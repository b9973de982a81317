#ifndef INPUT_COMPONENTS_H
#define INPUT_COMPONENTS_H

#include "input/document.h"
#include "input/field.h"
#include "input/node.h"

#include <stddef.h>

/*
 * Configs that name classes and functions by their Python paths, which their framework imports:
 * what packages and modules of its own have.
 */
struct component_row {
	const char *module; /* or a package; of one that has no row nothing is known */
	unsigned releases;  /* bit i: releases[i] has them; 0: only commits between */
	const char *names;  /* "a|b" */
};

struct component_table {
	const char *framework;		   /* as it is pinned */
	const char *speaker;		   /* as it is told */
	const char *key;		   /* whose values are such paths: "_target_" */
	const char *suffix;		   /* of other such keys: "_fn"; or NULL */
	const char *const *roots;	   /* packages whose paths are judged: its own, then others;
					      ended by NULL */
	const char *const *releases;	   /* "v0.1.0", ...; ended by NULL */
	const char *raises;		   /* "raises an ImportError" */
	const char *before, *lacks, *path; /* its words around the module, the rest and all of it;
					      or NULL */
	const char *methods;		   /* "a|b" that classes are called by; or NULL */
	const char *without;		   /* what a map is without that key */
	bool grows;			   /* later versions have names with other numbers */
	const struct component_row *rows;
	size_t count;
};

/*
 * Reports paths that no version has, or not the release that is pinned: with the nearest name, or
 * where else there is one of that name; else as a note, for another version may have it.
 */
void components_judge(struct decoder *decoder, const struct document *document,
		      const struct component_table *table);

#endif
