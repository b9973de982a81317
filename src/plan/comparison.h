#ifndef PLAN_COMPARISON_H
#define PLAN_COMPARISON_H

#include "base/map.h"
#include "plan/compare.h"

/* One comparison under way: what the files that look for differences share (compare_*.c). */
struct comparison {
	struct arena *arena;
	struct normal left, right;
	struct differences found;
};

/* Adds a difference that stands for itself alone and gives its index in the list. */
size_t comparison_add(struct comparison *c, enum difference_kind kind, const char *subject,
		      const char *left, const char *right);

/* The number as text. */
char *comparison_number(struct comparison *c, int64_t n);

/* Placements and shapes of parameters. */
void compare_parameters(struct comparison *c);

/* What fully_shard is called on. */
void compare_units(struct comparison *c);

/* Which modules each pipeline stage holds. */
void compare_stages(struct comparison *c);

/*
 * The elements of a list by name. Lists that are compared mostly hold the same names in the same
 * order, so the place where the other list has the name is tried first.
 */
struct names {
	struct arena *arena;
	const void *list;
	size_t count;
	const char *(*name)(const void *list, size_t at);
	bool indexed;
	struct map map;
};

/* Where the name is, or -1; `near`: where to look first. */
int64_t names_find(struct names *names, const char *name, size_t near);

#endif
