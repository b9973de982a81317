#ifndef FRAMEWORK_VERSION_H
#define FRAMEWORK_VERSION_H

#include "base/finding.h"
#include "framework/habit.h"
#include "input/document.h"

#include <stdbool.h>

/* How a version came to be the one a config is judged by. */
enum version_origin {
	VERSION_PINNED,	   /* somebody named it */
	VERSION_INFERRED,  /* the newest one that knows every key of the file */
	VERSION_COMPANION, /* the release or nightly of a pinned framework's date */
	VERSION_MODELLED   /* nobody named one: the commit that the framework's model was read at */
};

/* One framework at one point of its history. */
struct version {
	const char *framework; /* "torchtitan", "torch", "torchao", "torchft" */
	const char *label;     /* "v0.2.0", "d7cabfb6c", "2.9.0", "2.11.0.dev20251221" */
	const char *epoch;     /* commit whose behaviour it has, or "" */
	moment_t when;
	enum version_origin origin;
	struct span span;
	bool project;	 /* pinned by the project's settings */
	bool given_date; /* a commit that is in no table, by the day that somebody gives for it */
	bool beyond;	 /* later than the newest commit known, as which it is judged */
	/* inferred: the oldest and newest that fit equally well */
	const char *oldest, *newest;
	moment_t low, high;
	struct habits does; /* what its wing does, and the one that a fork's version names */
};

/* The versions a config is judged by. A framework that plays no part is absent. */
struct versions {
	VEC(struct version) list;
	const char *refused; /* whose version somebody named and nobody knows: nothing is judged; or
				NULL */
};

/* Whether it is a library below the framework that trains: torch, torchao, torchft, nccl, cuda. */
bool version_is_library(const char *name);

const struct version *versions_find(const struct versions *versions, const char *framework);

/*
 * Resolves all versions of a document: pins from the file and the options, else inference, else
 * companions by date. Unknown versions become findings, and nothing else is resolved.
 */
void versions_resolve(struct versions *versions, struct document *document,
		      struct findings *findings);

/* A tag, commit or date of a framework; false when it is not known. */
bool version_parse(struct arena *arena, const char *framework, const char *text,
		   struct version *version);

/*
 * Whether a version of numbered releases, "1.12.0" or "v1.12", is `major`.`minor` or newer. NULL
 * and what is no such number, a commit or a day, are newer than all releases.
 */
bool version_reaches(const struct version *version, int major, int minor);

/* Reports a framework or version that is not known; says nothing of those that are. */
void version_check_pin(const struct pin *pin, struct findings *findings);

extern const struct rule_id rule_unknown_version;

#endif
