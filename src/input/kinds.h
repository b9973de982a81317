#ifndef INPUT_KINDS_H
#define INPUT_KINDS_H

#include "input/field.h"
#include "input/node.h"

#include <stddef.h>

/*
 * What the value of a key has to be, of which no setting is made, or one that takes more: a table
 * beside the rows of keys_put and the words of keys_choose.
 */
struct key_kind {
	const char *path; /* dotted, from the map handed to keys_kinds */
	enum {
		KIND_NUMBER,
		KIND_NUMBERS,	     /* a list of them */
		KIND_NUMBER_OR_LIST, /* one of them, or a list */
		KIND_FLAG,	     /* true or false, in any of their spellings */
		KIND_TEXT,	     /* any scalar */
		KIND_MAP,
		KIND_MAP_OR_FILE, /* or text: the path of a file that has it, or a name */
		KIND_LIST
	} kind;
	const char *range; /* what the number may be, as in input/range.h; NULL: any */
	const char *why;   /* what becomes of another; or NULL */
};

/*
 * Reports a value of another kind, and a number out of range. Null, false, what is empty and what
 * is not known pass, and numbers in quotes; so do values that something was said of.
 */
void keys_kinds(struct decoder *decoder, const struct node *root, const struct key_kind *rows,
		size_t count);

/* The same of one value, found by other means than the row's path; NULL passes. */
void keys_kinds_node(struct decoder *decoder, const struct key_kind *row, const struct node *node);

/* The same of what an optimizer is told in that map, which may be NULL, by the names that
 * frameworks have for it; "auto" passes. */
void keys_optimizer(struct decoder *decoder, const struct node *map);

#endif
