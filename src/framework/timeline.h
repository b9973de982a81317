#ifndef FRAMEWORK_TIMELINE_H
#define FRAMEWORK_TIMELINE_H

#include "input/document.h"

/*
 * A framework's history as far as plans depend on it: one row per commit that changed something,
 * oldest first. What a version does is the sum of the rows up to it. Its wing defines
 * `timeline_NAME`.
 */

/* A habit of the framework, of an enum of its wing, that has another value from a commit on. */
struct trait_change {
	int trait, value;
};

struct timeline_row {
	const char *commit; /* nine digits or more */
	const char *tag;    /* "v0.2.0", "HEAD", or NULL */
	const char *what;   /* what changed, with the pull request */
	moment_t when;
	int set_count;
	struct trait_change set[8];
};

/* A commit of main: the first eight digits of its hash, and its moment. */
struct commit {
	uint32_t prefix;
	moment_t when;
};

struct timeline {
	const char *framework;
	const struct commit *commits; /* all of main, by prefix; NULL: none is listed */
	size_t commit_count;
	const struct timeline_row *rows; /* NULL: nothing but releases is known */
	int count;
	int traits;	 /* how many there are */
	int mesh_traits; /* the first so many shape how meshes are built and used */

	/* The moment of a release by its number, where releases leave main; 0: none such. Or NULL.
	 */
	moment_t (*release)(const char *text);

	/* Libraries whose version is that of the framework's day where nobody names one; or NULL.
	 */
	const char *const *companions;
};

/* All of them, ended by NULL. */
extern const struct timeline *const timelines[];

/* The history of the framework of that name, or NULL. */
const struct timeline *timeline_of(const char *framework);

/*
 * A tag ("v0.2.0", "0.2.0"), "HEAD", "main", "latest", a commit (seven digits or more), each also
 * with "^" for the row before: the row, or NULL.
 */
const struct timeline_row *timeline_find(const struct timeline *timeline, const char *text);

/* True for what can be the hash of a commit. */
bool timeline_is_commit(const char *text);

/* The moment of a commit of main by seven digits of its hash or more; 0: not one of them. */
moment_t timeline_commit(const struct timeline *timeline, const char *text);

/*
 * Whether a moment is in [since, until): commits or tags of the rows, other commits, or days,
 * "2025-08-21". NULL: the first, the last.
 */
bool timeline_within(const struct timeline *timeline, moment_t when, const char *since,
		     const char *until);

/* The moment of the newest commit that is known, or 0. */
moment_t timeline_newest(const struct timeline *timeline);

/* The last row at or before a moment, or NULL. */
const struct timeline_row *timeline_at(const struct timeline *timeline, moment_t when);

/* The last row at or before a moment that changed how meshes are built or used, or NULL. */
const struct timeline_row *timeline_epoch(const struct timeline *timeline, moment_t when);

/* What all rows up to a moment add up to, into timeline->traits values. */
void timeline_traits(const struct timeline *timeline, moment_t when, int *traits);

/* What they add up to for one trait. */
int timeline_trait(const struct timeline *timeline, moment_t when, int trait);

/* "v0.2.0", or the commit's first nine digits. */
const char *timeline_label(struct arena *arena, const struct timeline_row *row);

/* The commit of the epoch at a moment, nine digits, or "". */
const char *timeline_epoch_label(struct arena *arena, const struct timeline *timeline,
				 moment_t when);

#endif
