#ifndef SEARCH_SITE_H
#define SEARCH_SITE_H

#include "search/space.h"

/*
 * Settles what a site's config can be told, once its job is read: which axes are open, who makes
 * data parallel, and the batch, where none is asked for (0): the one that is kept, if that is
 * known. NULL, or what is missing.
 */
const char *site_settle(struct site *site, int64_t kept);

/* What keeps every layout of the job from being forecast, or NULL. */
const char *site_lacks(const struct job *job);

/* Ranks of Ulysses that the config has, or 1. */
int64_t site_ulysses(const struct site *site);

/* Sequences of a step of the config as it is, or 0; tokens of one at a site. */
int64_t site_batch(const struct job *job);
double site_tokens(const struct site *site);

#endif
