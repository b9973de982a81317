#ifndef SEARCH_PLACES_H
#define SEARCH_PLACES_H

#include "search/wording.h"

/* Which key of a file is to say a setting that it does not say yet. */

/* Puts the maps of the config that hold settings into `wording`. */
void places_begin(struct wording *wording);

/*
 * Of the maps that hold settings the one that may have it; where several may, nobody knows which.
 * Of several keys of one map the last that is read as that value, or the last.
 */
const struct vocabulary_key *places_key(const struct wording *wording, enum field_id field,
					const char *value);

/*
 * A key of a map without settings: the only one that is read as that value, in so many words; where
 * several are, nobody knows which.
 */
const struct vocabulary_key *places_new_key(const struct wording *wording, enum field_id field,
					    const char *value);

#endif
