#ifndef SEARCH_SHARD_H
#define SEARCH_SHARD_H

#include "search/workers.h"

#include "base/buf.h"

/*
 * What one part of a search has found, as lines of JSON that another process adds up: a head, then
 * one line for each candidate that runs and for each reason why others were cut. A part of several
 * searches has a head of its own before those of its searches.
 */

enum { SHARDS_MOST = 1 << 20 };

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

/* Several searches whose parts are written into one file. */
struct shard_sweep {
	const char *parplan;   /* the version that writes it */
	const char *combined;  /* a digest of the values of all searches */
	int64_t shard, shards; /* the part, from 1 */
	int64_t files;	       /* configs that the command line names */
	int64_t searches;
};

/* The head of such a part. */
void shard_sweep_write(const struct shard_sweep *sweep, struct buf *out);

/* Reads the head that a text begins with; its length with the line break, or 0: it has none. */
size_t shard_sweep_read(struct arena *arena, const char *text, size_t length,
			struct shard_sweep *sweep);

/* Whether a text begins as a part of one search does. */
bool shard_is(const char *text, size_t length);

/* How many bytes are before the head of the next search; all where no other follows. */
size_t shard_until_next(const char *text, size_t length);

#endif
