#ifndef INPUT_HOMES_H
#define INPUT_HOMES_H

#include "input/field.h"
#include "input/node.h"
#include "input/vocabulary.h"

#include <stddef.h>

/*
 * Files whose maps are classes of a framework's own, each of which refuses keys that it has not:
 * the maps, and whose a key is.
 */
struct key_home {
	const char *path;  /* dotted; "" is the file, "data.train.datasets[]" each item of a list */
	const char *owner; /* the name of its class, as the refusal has it */
	unsigned whose;	   /* the one bit of its class */
};

struct key_owned {
	const char *name;
	unsigned whose; /* the bits of all classes that have it so */
	enum { TAKES_ANY, TAKES_FLAG, TAKES_NUMBER, TAKES_TEXT, TAKES_MAP, TAKES_LIST } takes;
};

struct key_homes {
	const char *speaker;
	const char *before, *between, *after; /* the key, and the name of the class */
	bool unnamed; /* it is the name of the class alone, between `before` and `after` */
	const struct key_home *homes;
	size_t home_count;
	const struct key_owned *keys;
	size_t key_count;
};

/*
 * Reports keys that the class of their map has not: with the refusal where another class of the
 * file has them or where one of its own is a letter or two away; else as a note, for another
 * version may have them. So it does values of a kind that a key's class refuses. What something was
 * said of passes.
 */
void keys_at_home(struct decoder *decoder, const struct node *root, const struct key_homes *homes);

/* Adds what keys_at_home knows of maps that stand by themselves: slips in those are findings. */
void keys_offer(struct vocabulary *vocabulary, const struct key_homes *homes);

/* The same of maps that may be of a class of the user's own, whose keys may be near to these. */
void keys_offer_open(struct vocabulary *vocabulary, const struct key_homes *homes);

#endif
