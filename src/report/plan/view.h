#ifndef REPORT_PLAN_VIEW_H
#define REPORT_PLAN_VIEW_H

#include "base/arena.h"
#include "base/pattern.h"
#include "base/vec.h"
#include "framework/job.h"

#include <stdbool.h>
#include <stdint.h>

/* Ranks first to last, both included. */
struct rank_range {
	int64_t first, last;
};

/* A set of ranks as ranges, ascending, neither touching nor overlapping. */
struct rank_list {
	VEC(struct rank_range) ranges;
};

/* How far lists of ranks go before only their layouts are given. */
enum { RANKS_LISTED = 1024 };

/* Which part of a plan a report shows. */
struct plan_view {
	struct pattern *param;	       /* only parameters with such a name, or NULL: all */
	struct rank_list ranks;	       /* whose parts of them; empty: rank 0 */
	const char *mesh;	       /* only this mesh, or NULL: all */
	const char *path;	       /* whose plan it is, where several are shown; else NULL */
	bool expand;		       /* list ranks beyond RANKS_LISTED */
	const struct plan_error *stop; /* what stops its job where the plan does not, or NULL */
	const char
		*doubt; /* why it is not known whether its job stops where the plan does, or NULL */
};

/* What stops the job, there or later, as far as is known; or NULL. */
const struct plan_error *plan_view_error(const struct plan_view *view, const struct plan *plan);

/* One degree: its name in reports, the setting that asks for it, its place in struct degrees. */
struct degree_row {
	const char *name;
	enum field_id field;
	size_t offset;
	bool always; /* reported also when nobody said */
};

extern const struct degree_row degree_rows[]; /* ended by a NULL name */

/*
 * What the degree resolves to; 0: the framework has no such axis. What a job that stops early has
 * not come to is what was asked for.
 */
int64_t degree_shown(const struct job *job, const struct plan *plan, const struct degree_row *row);

/* Reads "0,5-7". Returns NULL, or a sentence why not. */
const char *rank_list_read(struct arena *arena, const char *text, struct rank_list *list);

/* How many ranks there are. */
int64_t rank_list_count(const struct rank_list *list);

/* The plan a report is about: the applied one as far as it got, else the intended one. */
const struct plan *job_plan(const struct job *job);

/*
 * Holds a view against the plan it is to be used on: ranks outside the world, a mesh that is not
 * there, more ranks than are listed. Returns NULL, or a sentence.
 */
const char *plan_view_check(struct arena *arena, const struct plan_view *view,
			    const struct plan *plan);

/* True when all ranks of that plan may be listed. */
bool plan_view_lists(const struct plan_view *view, const struct plan *plan);

#endif
