#ifndef SEARCH_REFUSALS_H
#define SEARCH_REFUSALS_H

#include "search/search.h"

/* What the framework is known to refuse of a candidate, or NULL. */
const struct refused *refusals_of(const struct search *search, const struct candidate *candidate);

/*
 * What the framework raises for the values of some degrees it raises for all candidates that have
 * these. What of a framework's data parallelism is derived is no degree that is searched.
 */
void refusals_learn(struct search *search, const struct candidate *candidate,
		    const struct outcome *outcome);

/* Values that are refused whatever else is chosen spare everything that has them a bound. */
void refusals_learn_values(struct search *search);

#endif
