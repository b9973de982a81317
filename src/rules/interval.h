#ifndef RULES_INTERVAL_H
#define RULES_INTERVAL_H

#include "rules/rule.h"

/*
 * A version that was inferred is an interval: the config fits every version in it, and rules run
 * under each that changed something. What is not found under all of them is at most a
 * warning that names versions with and without it; what depends on the version is one, too,
 * when the file has keys of a fork, whose code nobody has read. Call it after rules_run.
 */
void interval_apply(struct job *job);

#endif
