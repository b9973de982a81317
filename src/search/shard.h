#ifndef SEARCH_SHARD_H
#define SEARCH_SHARD_H

#include "search/workers.h"

#include "base/buf.h"

/*
 * What one part of a search has found, as lines of JSON that another parplan adds up: a head, then
 * one line for each candidate that runs and for each reason why others were cut.
 */

/* Of a search whose layouts of that part were decided. `own` is the config as it is. */
void shard_write(const struct search *search, const struct passage *passage, const struct job *own,
		 struct buf *out);

/* The parts that were read, from 1. */
struct shards {
	int64_t count; /* 0: none was read yet */
	VEC(bool) seen;
};

/*
 * Adds one part to a search that is prepared as the part's was. NULL, or why it is none of its
 * parts.
 */
const char *shard_read(struct search *search, struct shards *shards, const struct job *own,
		       const char *text, size_t length);

/* The first part that is missing, from 1; 0: none is. */
int64_t shards_missing(const struct shards *shards);

#endif
