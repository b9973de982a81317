#ifndef SEARCH_TRIAL_H
#define SEARCH_TRIAL_H

#include "search/bound.h"
#include "search/glance.h"

/*
 * Forecasts of a layout's candidates on one plan, for they differ in nothing that it depends on:
 * what they would be if nothing refused them. The one plan is judged, and what the framework raises
 * or the rules find in every candidate of a layout holds for all.
 */
struct trial {
	const struct space *space;
	const struct aim *aim;
	bool made;	     /* the plan is there */
	bool judged;	     /* it was asked whether rules find something in it */
	bool suspect;	     /* they did: other candidates of the layout are asked as well */
	struct arena arena;  /* of the plan */
	struct arena latest; /* of the candidate that was looked at last */
	const struct borne *borne;
	const struct site *site;
	struct job job, candidate;
	struct forecast forecast, *latest_forecast;
	struct glance_plan glance;
	struct stages stages;	/* of latest_forecast */
	struct workload work;	/* of the plan alone */
	struct outcome outcome; /* of that candidate */
};

void trial_init(struct trial *trial, const struct space *space, const struct aim *aim,
		const struct borne *borne);
void trial_release(struct trial *trial);

/*
 * Begins with a candidate: whether it gets as far as to a forecast, and what that will not be below
 * (time and memory alone). If not, trial->outcome says why.
 */
bool trial_begin(struct trial *trial, const struct candidate *candidate, uint64_t number,
		 struct bound *bound);

/* Whether rules that need no forecast find nothing in it, or in its layout. */
bool trial_allowed(struct trial *trial);

/* What becomes of it by its forecast, which is yet to be judged. */
struct outcome trial_forecast(struct trial *trial);

/* Judges what runs by its forecast. */
void trial_judge(struct trial *trial);

#endif
