#ifndef SEARCH_NEAREST_H
#define SEARCH_NEAREST_H

#include "search/search.h"

/*
 * Of a search in which nothing runs, the candidate that comes nearest: that needs least memory, or
 * where some fit, but are too slow, the one with the most tokens per second. False: there is none
 * that a forecast is made of. Where most need too much memory, one that a rule refuses as well is
 * better than none: `words` then gets what it is refused with, and is else left as it is.
 */
bool nearest_find(const struct search *search, struct outcome *nearest, const char **words);

/* Up to so many candidates that need least memory by their bounds, and may fit; how many. */
size_t nearest_roomy(const struct search *search, uint64_t *numbers, size_t most);

/* What most candidates were cut for, or NULL. */
const struct cut *nearest_cut(const struct search *search);

/*
 * What speaks against most of the candidates that a rule refuses, where most are, or of as many
 * what speaks against the config as it is: the framework's words for one of them, or else the
 * finding's. NULL: none of those that were looked at is refused so.
 */
const char *nearest_words(const struct search *search);

#endif
