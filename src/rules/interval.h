#ifndef RULES_INTERVAL_H
#define RULES_INTERVAL_H

#include "rules/rule.h"

/*
 * A version that was inferred is an interval: the config fits its oldest as well as its
 * newest. What is found at the newest and not at the oldest is at most a warning that
 * names both; and so is all that depends on the version when the file has keys of a fork.
 * Call it after rules_run.
 */
void interval_apply(struct job *job);

#endif
