#ifndef SEARCH_DEALING_H
#define SEARCH_DEALING_H

#include "search/reference.h"

/*
 * Layers over pipeline stages, where they are dealt out evenly: the first stages have one more. The
 * ends of the model may count as layers.
 */
struct dealing {
	int64_t stages, each, more, first, last; /* each: 0, where it is not known */
};

struct dealing dealing_of(const struct reference *reference, int64_t pp, int64_t stages);

/* Blocks of a stage, at least. */
int64_t dealing_blocks(const struct dealing *dealing, int64_t stage);

/* Whether no stage of a plan has fewer. */
bool dealing_holds(const struct dealing *dealing, const struct plan *plan);

#endif
