#ifndef INPUT_SETTINGS_UNCOUNTED_H
#define INPUT_SETTINGS_UNCOUNTED_H

#include "input/field.h"

/*
 * A key of a framework that changes a step, or what a rank keeps, where no forecast counts that.
 * "use_streams=false|no": where it is one of these words, in any case; "zpg>1": where it is a
 * greater number.
 */
struct uncounted_row {
	const char *path, *what; /* "zenflow", "half of the gradients wait in host memory" */
};

/*
 * Adds those that the config has, and neither false nor 0 nor null nor none, to
 * training.not_counted: "KEY: what". `find` looks a path up where its keys are spelled otherwise;
 * or NULL.
 */
void uncounted_put(struct decoder *decoder, const struct node *map,
		   const struct node *(*find)(const struct node *map, const char *path),
		   const struct uncounted_row *rows, size_t count);

/* Adds one of them, "KEY: what", said there. */
void uncounted_add(struct decoder *decoder, struct span span, const char *text);

#endif
