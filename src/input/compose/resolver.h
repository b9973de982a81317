#ifndef INPUT_COMPOSE_RESOLVER_H
#define INPUT_COMPOSE_RESOLVER_H

#include "input/document.h"
#include "input/node.h"

#include <stdbool.h>

enum { RESOLVER_ARGUMENTS = 8 };

/* `${name:argument,argument}` with its arguments resolved. */
struct resolver_call {
	const char *name;
	const char *text; /* the whole expression, for messages */
	int count;
	struct node *arguments[RESOLVER_ARGUMENTS];
	bool open; /* an argument is not known */
};

/*
 * What the resolver gives: OmegaConf's own (oc.env, oc.decode), and those that frameworks register
 * under much the same names: multiply, add, divide_ceil, eval and their kin. NULL when it is
 * another, its arguments do not fit, or nothing says what its variable is; *missing is then
 * "$NAME".
 */
struct node *resolver_run(struct document *document, const struct resolver_call *call,
			  const char **missing);

#endif
