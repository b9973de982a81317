#ifndef REPORT_SEARCH_SEARCH_H
#define REPORT_SEARCH_SEARCH_H

#include "base/buf.h"
#include "search/result.h"

/* What a search has found, as text of so many columns. */
void report_search_text(const struct search *search, const struct result *result, struct buf *out,
			bool color, int columns);

/* The same as parplan.search/1. */
void report_search_json(const struct search *search, const struct result *result, struct buf *out);

/* "1.113 s ±15 %": with the wider side of the interval. */
const char *step_text(struct arena *arena, const struct outcome *outcome);

/* "out of memory, P 12 %" */
const char *risk_text(struct arena *arena, const struct outcome *outcome);

/* Why nothing is proposed, and what comes nearest. */
const char *nothing_text(const struct search *search, const struct result *result);

/* "rule heads-divisibility", "memory": why candidates were cut. */
const char *cut_text(struct arena *arena, const struct cut *cut);

/* ": not among what was searched, as --fix parallelism.tp=8 excludes it; it takes ...", of yours.
 */
const char *yours_excluded_text(const struct search *search, const struct outcome *best);

/* Candidates that were cut for one of these reasons. */
uint64_t cuts_of(const struct tally *tally, unsigned int whys);

#endif
