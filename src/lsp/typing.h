#ifndef LSP_TYPING_H
#define LSP_TYPING_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What is being written at a place of a text that is no tree yet, by the text alone: the line's
 * indentation, the section's header, the brackets that are open.
 */
enum form { FORM_YAML, FORM_TOML, FORM_JSON };

struct typing {
	enum form form;
	const char *map; /* dotted path of the map that it is in; "": the file's */
	const char *key; /* the key whose value it is; NULL: a key, or a TOML section's header */
	bool header;	 /* it is such a header, whose name begins at `start` */
	size_t start;	 /* where the word begins */
	bool quoted;	 /* behind a quote */
};

/* `path` tells the form by its suffix. */
void typing_at(struct typing *typing, struct arena *arena, const char *path, const char *text,
	       size_t offset);

#endif
