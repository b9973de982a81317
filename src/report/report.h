#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/buf.h"
#include "report/findings/passed_over.h"
#include "rules/judged.h"
#include "rules/rule.h"

#include <stdbool.h>

/* One checked file: its job, its findings (sorted) and the rules that could not be judged. */
struct checked {
	const char *path; /* as shown to people: "train.yaml", "<stdin>" */
	struct job *job;
	struct findings *findings;
	struct skips skips;
};

/* A rule that could not be judged for one file. */
struct left_out {
	const char *path;
	const struct rule_id *rule;
	const char *needs;
	bool optional; /* it could only give a note, or needs what nobody has to give */
};

/* A file that could not even be opened. */
struct unread {
	const char *path;
	const char *error; /* "cannot read 'train.yaml': No such file or directory" */
};

/* What a report adds up to. */
struct totals {
	size_t errors, warnings, notes;
};

/*
 * One `parplan check`. Files are reported one after the other, each let go before the next
 * is read: only what the last lines need is kept.
 */
struct report {
	struct arena *arena; /* lives as long as the report */
	size_t count;	     /* files there are to report */
	bool color;
	int columns;
	bool quiet; /* text: only findings at or above `failing`, no first and last lines */
	enum severity failing; /* findings of this severity and above make the check fail */
	bool strict;	       /* files that are judged in part, or not at all, make it fail */
	bool silenced;	       /* sarif: findings that were ignored, too, marked as such */
	const char *version;   /* of parplan, or NULL */
	/* filled by report_file */
	struct totals totals;
	size_t partly, not_judged; /* files of which not all, and nothing, was judged */
	struct judged judged;	   /* of all files together; gaps added up */
	bool unjudged_fails;	   /* what was not judged in full makes it fail: strict */
	size_t done;		   /* files reported */
	size_t known;		   /* findings that a baseline holds: not reported */
	VEC(struct left_out) left_out;
	VEC(struct unread) unread;
	bool walked;			/* folders were named */
	struct passed_over passed_over; /* of those */
	void *state;			/* the format's own */
};

/* To add an output format: one file in report/formats/ with `const struct format format_NAME`. */
struct format {
	const char *name;
	const char *summary;
	bool commands; /* its lines are a runner's commands (base/outward.h) */
	void (*begin)(struct report *report, struct buf *out);
	void (*file)(struct report *report, const struct checked *file, struct buf *out);
	void (*end)(struct report *report, struct buf *out);
	/*
	 * A second product, made after `end`: Markdown to append to the file that the environment
	 * variable `digest_to` names. Both NULL in most formats.
	 */
	const char *digest_to;
	void (*digest)(struct report *report, struct buf *out);
};

/* Reports one file and adds it up. The file's memory may go afterwards. */
void report_file(struct report *report, const struct format *format, const struct checked *file,
		 struct buf *out);

/* Remembers a file that could not be opened; both texts are copied. */
void report_unread(struct report *report, const char *path, const char *error);

/* "partly judged: 48 rules need the world size (--world N)", "not judged: ...";
 * "" of a job that was judged in full. */
const char *judged_text(struct arena *arena, const struct judged *judged);

/*
 * The same of a file, for formats that know findings alone: what they show beside them, at the
 * file as a whole, with the severity of judged_severity.
 */
const char *judged_remark(const struct checked *file);

/* An error where it makes the check fail. */
enum severity judged_severity(const struct report *report);

/* Behind that, where it makes the command fail. */
#define JUDGED_STRICTLY ", which is an error here (strict)"

/* The gaps alone, behind `head`. */
const char *judged_gaps(struct arena *arena, const struct judged *judged, const char *head);

/* The member "judged" of reports in JSON. */
void judged_json(struct json_writer *json, const struct judged *judged);

/* Adds what was judged of one job to what was of others, in `arena`. */
void judged_add(struct arena *arena, struct judged *all, const struct judged *judged);

/* Whether `totals` holds a finding of that severity or above. */
bool report_fails(const struct totals *totals, enum severity failing);

/* The last line: "1 error, 2 warnings in 2 files (3 rules skipped: ...)", without a line break. */
void report_summary(const struct report *report, struct buf *out);

/*
 * The findings of a job as text, for commands that only complain on stderr; sorts them. Quiet: its
 * errors alone.
 */
void report_complaints(struct job *job, const char *path, int columns, bool quiet, struct buf *out);

extern const struct format *const formats[];

const struct format *format_find(const char *name);

/* The format nearest to a name that is none, or NULL. */
const char *format_nearest(struct arena *arena, const char *name);

/* The first lines of every text output: versions, world, model, and how to change them. */
void report_assumptions(const struct job *job, struct buf *out, bool color, int columns);

/* A plan as `parplan plan` prints it; which part of it is shown: report/plan/view.h. */
struct plan_view;

void report_plan_json(const struct job *job, const struct plan_view *view, struct buf *out);
void report_plan_text(const struct job *job, const struct plan_view *view, struct buf *out,
		      bool color, int columns);

#endif
