#ifndef SEARCH_NEAREST_H
#define SEARCH_NEAREST_H

#include "search/search.h"

/*
 * Of a search in which nothing runs, the candidate that comes nearest: that needs least memory, or
 * where some fit, but are too slow, the one with the most tokens per second. False: there is none
 * that a forecast is made of.
 */
bool nearest_find(const struct search *search, struct outcome *nearest);

#endif
