#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/buf.h"
#include "rules/rule.h"

#include <stdbool.h>

/* One checked file: its job, its findings and the rules that could not be judged. */
struct checked {
	const char *path;
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
	bool quiet; /* only findings at or above the failing severity */
};

/* To add an output format: one file in report/formats/ with `const struct format format_NAME`. */
struct format {
	const char *name;
	const char *summary;
	void (*write)(const struct report *report, struct buf *out);
};

extern const struct format *const formats[];

const struct format *format_find(const char *name);

/* The first lines of every text output: versions, world, model, and how to change them. */
void report_assumptions(const struct job *job, struct buf *out, bool color);

/* Plans as DESIGN section 6 writes them. */
struct plan_view {
	const char *param;        /* PCRE2, or NULL */
	const char *ranks;        /* "0,5-7", or NULL: rank 0 */
	const char *mesh;         /* only this mesh, or NULL */
	bool expand;              /* enumerate groups above 1,024 ranks */
};

void report_plan_json(const struct job *job, const struct plan_view *view, struct buf *out);
void report_plan_text(const struct job *job, const struct plan_view *view, struct buf *out,
		      bool color);

#endif
