#ifndef FRAMEWORK_DEGREES_H
#define FRAMEWORK_DEGREES_H

#include "framework/job.h"

/* The degrees of a job, for frameworks whose ranks are one grid. */

/* The degree as given or derived; 1 when there is none, or none above 0. */
int64_t degree_or_one(const struct job *job, enum field_id field);

/*
 * Makes what was just raised the product's affair (rule degrees-product): the degrees that somebody
 * gave are to blame.
 */
void degrees_blame(struct job *job, struct plan *plan);

/*
 * True when the degrees multiply to the world; else it raises, in our own words, what the framework
 * says in none.
 */
bool degrees_fit(struct job *job, struct plan *plan, const char *framework);

#endif
