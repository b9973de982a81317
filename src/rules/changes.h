#ifndef RULES_CHANGES_H
#define RULES_CHANGES_H

#include "rules/rule.h"

/*
 * What changes between two jobs that have been judged: `parplan diff`. Plans are compared by the
 * one engine (plan/compare.h); settings, versions and findings are added to what it finds.
 */
enum change_kind {
	CHANGE_VERSION, /* of a framework; by itself no difference */
	CHANGE_SETTING,
	CHANGE_DEGREE,
	CHANGE_EXCEPTION,
	CHANGE_STRATEGY,
	CHANGE_GROUP,	/* who shares, who repeats, who talks to whom */
	CHANGE_TRAFFIC, /* bytes that a rank receives over them per step */
	CHANGE_MESH,
	CHANGE_MESH_NAME,
	CHANGE_PLACEMENT,
	CHANGE_UNIT,
	CHANGE_STAGE,
	CHANGE_FINDING,
	CHANGE_KINDS
};

struct change {
	enum change_kind kind;
	const char *subject;	    /* key, axis, parameter, rule: what changes */
	const char *before, *after; /* in words; NULL: not there */
	int64_t count;		    /* parameters or units alike that it stands for; else 1 */
	const char *before_local, *after_local; /* PLACEMENT: the first rank's part */
	const char *field;			/* SETTING: the native key */
	enum severity severity;		     /* FINDING: the later one's, or that of what is gone */
	struct span before_span, after_span; /* FINDING */
	const char *before_quote, *after_quote; /* FINDING: the exception that it quotes, or NULL */
};

struct changes {
	struct arena *arena;
	VEC(struct change) list;  /* by kind */
	VEC(const char *) limits; /* sentences: what could not be compared, and why */
	size_t same_findings;
};

/* One of the two, with what to call it: a path, or a version. */
struct side {
	const char *name;
	const struct job *job; /* judged: its findings are those that check reports */
	const struct skips *skips;
};

/* Everything in the result is in `arena` or as long-lived as the documents. */
struct changes changes_of(struct arena *arena, const struct side *before, const struct side *after);

/* True when something changes besides versions. */
bool changes_any(const struct changes *changes);

/* Changes of that kind. */
size_t changes_count(const struct changes *changes, enum change_kind kind);

/* "hsdp -> fsdp; 12 placements; new: hsdp-collapsed": all that matters, on a line. */
char *changes_line(const struct changes *changes);

/* "version", "setting", ... as JSON has it. */
const char *change_kind_name(enum change_kind kind);

#endif
