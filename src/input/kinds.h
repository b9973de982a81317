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
		KIND_COUNT, /* a number, and `least` is the least that it may be */
		KIND_MAP,
		KIND_MAP_OR_FILE, /* or text: the path of a file that has it, or a name */
		KIND_LIST
	} kind;
	int least;
	const char *why; /* what becomes of another, or of less; or NULL */
};

/*
 * Reports a value of another kind, and a number below the least. Null, false, what is empty and
 * what is not known pass, and numbers in quotes; so do values that something was said of.
 */
void keys_kinds(struct decoder *decoder, const struct node *root, const struct key_kind *rows,
		size_t count);

#endif
