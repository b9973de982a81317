#ifndef SEARCH_EXCLUDED_H
#define SEARCH_EXCLUDED_H

#include "search/sites.h"

/*
 * Lists the options, as "--fix parallelism.tp=8", by which no layout that is searched has what the
 * config as it is has, which runs. What it leaves to a default that is not known is not held
 * against it.
 */
void search_exclude(struct search *search, const struct sites_request *request);

#endif
