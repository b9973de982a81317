#ifndef SEARCH_TRIAL_H
#define SEARCH_TRIAL_H

#include "search/outcome.h"

/*
 * Forecasts of a layout's candidates on one plan, for they differ in nothing that it depends on:
 * what they would be if nothing refused them. The one plan is judged, and what the framework raises
 * or the rules find in every candidate of a layout holds for all.
 */
struct trial {
	const struct space *space;
	const struct aim *aim;
	bool made;	     /* the plan is there */
	bool suspect;	     /* a rule finds something in it: others may be better */
	struct arena arena;  /* of the plan */
	struct arena latest; /* of the candidate that was looked at last */
	struct job job, *candidate;
	struct forecast forecast;
};

void trial_init(struct trial *trial, const struct space *space, const struct aim *aim);
void trial_release(struct trial *trial);

/* What becomes of a candidate by what is known without judging it. */
struct outcome trial_of(struct trial *trial, const struct candidate *candidate, uint64_t number);

/* The first error of the rules in the candidate that was looked at last, which runs; or NULL. */
const struct rule_id *trial_rule(struct trial *trial);

#endif
