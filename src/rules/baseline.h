#ifndef RULES_BASELINE_H
#define RULES_BASELINE_H

#include "base/buf.h"
#include "base/map.h"
#include "rules/fingerprint.h"
#include "rules/rule.h"

/*
 * Findings that were there when a project began to be checked, and do not block: a JSON file
 * (docs/schemas/baseline.json) of fingerprints, committed beside the configs.
 */
#define BASELINE_SCHEMA "parplan.baseline/1"

struct baseline_entry {
	const char *fingerprint, *rule, *path, *message;
	struct span span;
	int64_t count; /* findings alike */
	int64_t left;  /* of them, those that were not met in this run */
	bool stale;
};

struct baseline {
	struct arena *arena;
	const struct source *source;
	const char *folder; /* paths in it are relative to this */
	VEC(struct baseline_entry) entries;
	struct map index; /* fingerprint to entry */
};

/* Reads a baseline. NULL, or a sentence with the place of what is wrong. */
const char *baseline_read(struct baseline *baseline, struct arena *arena, const char *path,
			  const char *text, size_t length);

/*
 * Takes the findings that the baseline holds out of a judged job, whose file is `path`; returns
 * how many. What it holds of that file besides is stale, unless its rule could not be judged.
 */
size_t baseline_filter(struct baseline *baseline, struct job *job, const char *path,
		       const struct skips *skips);

/* Adds a note for every entry that is stale, or whose file is gone. */
void baseline_stale(struct baseline *baseline, struct findings *findings);

/* Findings that are to become a baseline in `folder`. */
struct baseline_draft {
	struct arena *arena;
	const char *folder;
	VEC(struct fingerprint) list;
};

void baseline_draft_add(struct baseline_draft *draft, const struct job *job, const char *path);

/* Writes it, one finding a line, sorted: the same findings give the same bytes. */
void baseline_write(struct baseline_draft *draft, struct buf *out);

extern const struct rule_id rule_stale_baseline;

#endif
