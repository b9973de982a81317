#ifndef RULES_SAYINGS_H
#define RULES_SAYINGS_H

#include "base/finding.h"

/*
 * The texts a rule is known by: those of frameworks that a model raises for it, then those in its
 * own row, which no model raises. NULL: no more of them.
 */
struct saying_walk {
	const struct rule_id *id;
	size_t table, row, own;
};

const struct saying *saying_next(struct saying_walk *walk);

#endif
