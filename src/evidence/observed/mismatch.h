#ifndef EVIDENCE_OBSERVED_MISMATCH_H
#define EVIDENCE_OBSERVED_MISMATCH_H

#include "evidence/observed/observed.h"
#include "framework/job.h"

/* A run held against the intended plan of a config. */
struct comparison_of_run {
	struct arena *arena;
	const struct job *job;
	const struct plan *intended; /* with a world and meshes */
	const struct observed *observed;
	/* Whether what is not seen was not done: two whole steps, or one that ended, and nothing
	 * that could hide calls. */
	bool complete;
};

struct comparison_of_run run_compare(struct arena *arena, const struct job *job,
				     const struct observed *observed);

/* What is positively otherwise than planned. */
struct mismatch {
	const char *code;	       /* "HSDP_COLLAPSED_TO_FSDP"; NULL: nothing is */
	const char *text;	       /* in words, with groups */
	enum role axis;		       /* whose flows show it; ROLES: see evidence */
	struct evidence_item evidence; /* .what NULL: those of the axis */
};

/* The first code that holds. Evidence that is missing never makes one. */
struct mismatch mismatch_find(const struct comparison_of_run *run);

/* Ranks that the plan means for one group of an axis; 1: it has no such axis. */
int64_t planned_size(const struct comparison_of_run *run, enum role axis);

/* Whether the plan's groups of the axis are those that calls show for it. */
bool axis_is_right(const struct comparison_of_run *run, enum role axis);

#endif
