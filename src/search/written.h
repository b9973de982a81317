#ifndef SEARCH_WRITTEN_H
#define SEARCH_WRITTEN_H

#include "search/outcome.h"

/*
 * A candidate as the user would have it: the user's own file, patched, or the flags to give beside
 * it. Whatever is proposed has been read back from there, judged as check --strict does, and
 * forecast again.
 */
struct written {
	const char *text;   /* the file; NULL where it is no data or has no place for a value */
	struct texts_said { /* what is to be given beside it: "cluster.gpu=h200" */
		VEC(const char *) list;
	} beside;
	struct texts_said arguments;   /* of changes to a script: as its framework takes them */
	struct texts_said wordless;    /* the rest of them, which its command line cannot say */
	VEC(struct variation) changes; /* what the file says otherwise, or not */
	const struct job *job;	       /* that was read back, or NULL */
	bool passes;		       /* nothing in it is an error, and all of it is judged */
	const struct rule_id
		*rule; /* what it fails by; NULL: it is another job than was searched */
};

/* `own` is the config as it is, read with `overrides`. */
void written_make(struct written *written, const struct space *space, const struct aim *aim,
		  const struct job *own, const struct outcome *outcome, struct arena *arena);

/* Takes back what the config does not say itself and that is so without being said. */
void written_shorten(struct written *written, const struct space *space, const struct aim *aim,
		     const struct job *own, const struct outcome *outcome, struct arena *arena);

#endif
