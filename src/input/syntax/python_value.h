#ifndef INPUT_SYNTAX_PYTHON_VALUE_H
#define INPUT_SYNTAX_PYTHON_VALUE_H

#include "base/map.h"
#include "input/node.h"
#include "input/syntax/python.h"

/*
 * What expressions of a Python program make, as trees. A call is a map: "()" is the callee with
 * what its import says of it, "#0" its first argument, and each keyword a member; attributes that
 * are set later are members, too. "*" in a map says that members that are not there are unknown,
 * and why. Of all else only literals are values; the rest is a scalar that says what is unknown.
 */

/* A name and what it stands for; NULL: an import, by `dotted`. */
struct python_name {
	struct node *value;
	const char *dotted;
};

struct python_names {
	struct map index;
	VEC(struct python_name) list;
};

struct python_function {
	const char *name;
	size_t line;		       /* of its def */
	size_t body_end;	       /* the line behind its body */
	size_t first_parameter, colon; /* tokens */
	bool plain;		       /* neither decorated nor in need of arguments */
};

struct python {
	struct arena *arena;
	struct python_words words;
	struct python_names names; /* of the module */
	struct map function_index;
	VEC(struct python_function) functions;
	long budget; /* steps that are left: beyond, all is unknown */
	int calls;   /* functions under evaluation, one in the other */
};

/* One function, or the module, on the way through its lines. */
struct python_frame {
	struct python *python;
	struct python_names *names;
	size_t at, end;	   /* tokens of the expression */
	int depth;	   /* brackets */
	bool effect;	   /* the value is not used: what is called is called for what it changes */
	const char *maybe; /* a statement around this one decides whether it runs; or NULL */
	struct node *result;
	const char *result_maybe;
	bool returned;
};

/* Takes steps off the budget; false when nothing is left of it. */
bool python_spend(struct python_frame *frame, long steps);

/* The levels of the tree below a node; its size is taken off the budget. */
int python_height(struct python_frame *frame, const struct node *node);

/* Whether `value` can hang below `map`: no tree is deep, and none holds itself. */
bool python_fits(struct python_frame *frame, const struct node *map, const struct node *value);

struct node *python_member(struct python_frame *frame, const struct node *map, const char *key);

/* The value of the tokens at frame->at, up to a comma, closing bracket, colon or the end. */
struct node *python_expression(struct python_frame *frame);

/* What a function returns, or NULL; evaluated anew each time. */
struct node *python_call(struct python *python, const struct python_function *function);

struct node *python_unknown(struct python_frame *frame, const char *why, size_t first, size_t end);

/* From here on all members of the object are unknown. */
void python_open(struct python_frame *frame, struct node *object, const char *why);

/* Puts a member into a map, in the place of one that is there. */
void python_put(struct python_frame *frame, struct node *map, const char *key, struct span key_span,
		struct node *value);

/* What the name stands for, in the frame or in the module; NULL when nothing says. */
const struct python_name *python_find(struct python_frame *frame, const char *name);

void python_bind(struct python_frame *frame, const char *name, struct python_name what);

#endif
