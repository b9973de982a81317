#ifndef WINGS_TORCHTITAN_PROGRAM_H
#define WINGS_TORCHTITAN_PROGRAM_H

#include "input/document.h"

struct launch;
struct titan_reader;

/* A part of the config of which nothing at hand says what is in it. */
struct titan_open {
	const char *section; /* "parallelism"; NULL: all of it */
	const char *why;
	struct span span;
};

/* What a value in Python stands for beyond the keys of TorchTitan's config. */
struct titan_said {
	const char *key; /* as in functions.def */
	struct node *value;
};

/* A function of a Python file that makes a config of TorchTitan main. */
struct titan_program {
	const char *name;	   /* the function's, or NULL: which one runs is not said */
	const char *module, *base; /* the registry's function that it begins with, or NULL */
	struct span span;	   /* where it says so */
	VEC(const char *) whole;   /* sections that are set as a whole */
	VEC(struct titan_said) said;
	VEC(struct titan_open) open;
};

/* True when a function of the Python program makes a config of TorchTitan's. */
bool titan_program_is(const struct document *document);

/*
 * Makes of the document's Python program, or of the file that --module names, the tree that
 * a config has; NULL where there is none. What is not plain is in `open`.
 */
struct titan_program *titan_program_read(struct document *document, struct findings *findings);

/* True when nothing is known of the config but what the program says last. */
bool titan_program_is_open(const struct titan_program *program);

/* True when a setting that the registry's function makes, by its key in functions.def, is replaced.
 */
bool titan_program_replaces(const struct titan_program *program, const char *key);

/* Puts what the tree cannot say, and what is not known. */
void titan_program_settle(struct titan_reader *reader, const struct titan_program *program);

#endif
