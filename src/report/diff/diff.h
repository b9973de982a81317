#ifndef REPORT_DIFF_DIFF_H
#define REPORT_DIFF_DIFF_H

#include "base/json.h"
#include "report/findings/excerpt.h"
#include "rules/epochs.h"

/* What `parplan diff` found, for one of its formats. */
struct diff {
	struct arena *arena;
	const char *paths[2]; /* as shown to people */
	struct side sides[2];
	struct changes changes;
	const struct epochs *epochs; /* NULL: two configs, not a range of versions */
	const char *framework;	     /* whose range it is, or NULL */
};

/* True when something is listed: between the two, or on the way from one version to the other. */
bool diff_any(const struct diff *diff);

void diff_text(const struct diff *diff, const struct style *style, struct buf *out);
void diff_json(const struct diff *diff, const struct style *style, struct buf *out);

/* The same as a member of a larger document; `key` is NULL in an array. */
void diff_json_member(const struct diff *diff, struct json_writer *json, const char *key);

/* Tables that fit into the comment of a pull request on GitHub. */
void diff_markdown(const struct diff *diff, const struct style *style, struct buf *out);

/* "settings", "placements of parameters": the heading over changes of a kind. */
const char *diff_heading(enum change_kind kind);

/* What stands for a side that has nothing: "none", "absent". */
const char *diff_nothing(enum change_kind kind);

/* Parameters or units that the changes of a kind stand for. */
int64_t diff_total(const struct changes *changes, enum change_kind kind);

/* Findings that are new, gone, or of another severity or text. */
struct diff_findings {
	size_t fresh, gone, other;
};

struct diff_findings diff_findings_of(const struct changes *changes);

/* "2024-10-31", or "" where there is no day. */
const char *diff_day(struct arena *arena, const struct point *point);

#endif
