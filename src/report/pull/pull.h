#ifndef REPORT_PULL_PULL_H
#define REPORT_PULL_PULL_H

#include "report/diff/diff.h"
#include "report/findings/passed_over.h"
#include "report/forecast/outlook.h"
#include "report/report.h"

/* What `parplan ci` found about the configs that a pull request changes, for one of its formats. */
enum file_status { FILE_ADDED, FILE_CHANGED, FILE_RENAMED, FILE_DELETED };

/* "added", "changed", "renamed", "deleted". */
const char *file_status_name(enum file_status status);

struct pull_file {
	const char *path;
	const char *old_path; /* where it was; the same unless renamed */
	enum file_status status;
	struct checked fresh;	      /* its new findings; .job is NULL when it is deleted */
	size_t same;		      /* findings that it had before, too */
	size_t known;		      /* of the new ones: those a baseline holds, left out */
	const struct project *policy; /* the settings that it is judged by; or NULL */
	const struct outlook *before, *after; /* NULL: not there, or not readable */
	const struct diff *diff;	 /* NULL: one of the two is not there or not readable */
	const struct handover *handover; /* of a checkpoint; goes with `diff` */
};

struct pull {
	struct arena *arena;
	const char *ref;    /* the base as named */
	const char *commit; /* the last one in common with it */
	VEC(struct pull_file) files;
	struct passed_over passed_over; /* changed files that were not, and are not, configs */
	struct totals totals;		/* of new findings */
	struct judged judged;		/* how much of the changed configs, as they are now */
	bool unjudged_fails;		/* what of that is not judged in full makes it fail */
};

void pull_text(const struct pull *pull, const struct style *style, struct buf *out);
void pull_json(const struct pull *pull, const struct style *style, struct buf *out);

/* For the comment of a pull request; begins with a mark by which a bot finds its own comment. */
void pull_markdown(const struct pull *pull, const struct style *style, struct buf *out);

/* "2 configs changed, 1 new error and 2 new notes". */
char *pull_headline(const struct pull *pull);

/* Sentences on changed files that were left out; "" when there are none. */
char *pull_left_out(const struct pull *pull);

#endif
