#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/buf.h"
#include "rules/rule.h"

#include <stdbool.h>

/* One checked file: its job, its findings (sorted) and the rules that could not be judged. */
struct checked {
	const char *path; /* as shown to people: "train.yaml", "<stdin>" */
	struct job *job;
	struct findings *findings;
	struct skips skips;
};

/* The outcome of one `parplan check`. */
struct report {
	struct arena *arena;
	struct checked *files;
	size_t count;
	bool color;
	int columns;
	bool quiet; /* text: only findings at or above `failing`, no first and last lines */
	enum severity failing; /* findings of this severity and above make the check fail */
};

/* What a report adds up to. */
struct totals {
	size_t errors, warnings, notes;
};

struct totals report_totals(const struct report *report);

/* The last line: "1 error, 2 warnings in 2 files (3 rules skipped: ...)", without a line break. */
void report_summary(const struct report *report, struct buf *out);

/* To add an output format: one file in report/formats/ with `const struct format format_NAME`. */
struct format {
	const char *name;
	const char *summary;
	void (*write)(const struct report *report, struct buf *out);
};

extern const struct format *const formats[];

const struct format *format_find(const char *name);

/* The format nearest to a name that is none, or NULL. */
const char *format_nearest(struct arena *arena, const char *name);

/* The first lines of every text output: versions, world, model, and how to change them. */
void report_assumptions(const struct job *job, struct buf *out, bool color);

/* A plan as `parplan plan` prints it; which part of it is shown: report/plan_view.h. */
struct plan_view;

void report_plan_json(const struct job *job, const struct plan_view *view, struct buf *out);
void report_plan_text(const struct job *job, const struct plan_view *view, struct buf *out,
		      bool color);

#endif
