#ifndef EVIDENCE_LOG_PHRASE_H
#define EVIDENCE_LOG_PHRASE_H

#include "base/finding.h"
#include "evidence/log/known_end.h"
#include "evidence/log/needles.h"

#include <stdbool.h>

/*
 * A text somebody prints, as it is looked for: word for word but for blanks and line breaks, which
 * do not count, so that it is found wherever a terminal or a logger broke it. What stands in braces
 * may be anything up to a length, and the type of an exception before the text may be another one.
 */
enum { PHRASE_PIECES = 16, NEEDLE_MOST = 16 /* bytes of a literal that is looked for */ };

/* What is literal between two variable parts. */
struct phrase_piece {
	const char *text; /* without blanks */
	size_t length;
	const char *name; /* of the variable part before it; NULL before the first piece */
	size_t most;	  /* bytes that part may have */
};

/* Whose text it is: a rule's, or that of an end which is no rule. */
struct phrase_owner {
	const struct rule_id *id;
	const struct saying *saying;
	const struct known_end *end; /* NULL: a rule */
	const char *source;	     /* where the text, or the rule, is known from */
};

struct phrase {
	VEC(struct phrase_owner) owners; /* several where rules share a text */
	struct phrase_piece pieces[PHRASE_PIECES];
	size_t count;
	const char *tail; /* of the variable part that the text ends in; NULL: it does not */
	size_t weight;	  /* literal bytes: of two that overlap the heavier one tells more */
};

/* What is known, and the literals that lead to it: a needle's id is the index of its phrase. */
struct phrases {
	struct arena *arena;
	VEC(struct phrase) list;
	struct needles needles;
};

/*
 * Every text of every rule and of every known end, and what `expected` (may be NULL) quotes word
 * for word of one config. Needles are not closed yet.
 */
void phrases_init(struct phrases *phrases, struct arena *arena, const struct findings *expected);

/* Where a phrase stands in a text without blanks: [start, end), and its variable parts. */
struct phrase_match {
	size_t start, end;
	size_t from[PHRASE_PIECES], to[PHRASE_PIECES]; /* of the part before piece i, i >= 1 */
};

/* Finds the first place from `from` on; false when there is none. */
bool phrase_find(const struct phrase *phrase, const char *packed, size_t length, size_t from,
		 struct phrase_match *match);

/* A rule's text is that of a cause. */
enum end_kind phrase_kind(const struct phrase *phrase);

/* True when it is what comes after a cause, and never one. */
bool phrase_follows(const struct phrase *phrase);

#endif
