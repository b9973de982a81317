#include "report/report.h"

#include <string.h>

static void leave_out(struct report *report, const struct checked *file)
{
	const char *path = file->skips.list.count ? arena_strdup(report->arena, file->path) : "";
	size_t i;

	for (i = 0; i < file->skips.list.count; i++) {
		const struct skipped *skipped = &file->skips.list.items[i];
		struct left_out left_out = { path, skipped->rule->id, skipped->needs };

		vec_push(report->arena, &report->left_out, left_out);
	}
}

static void add_gap(struct report *report, const struct judged_gap *gap)
{
	struct judged_gap copy = { arena_strdup(report->arena, gap->needs), gap->rules };
	size_t i;

	for (i = 0; i < report->judged.gaps.count; i++)
		if (!strcmp(report->judged.gaps.items[i].needs, gap->needs)) {
			report->judged.gaps.items[i].rules += gap->rules;
			return;
		}
	vec_push(report->arena, &report->judged.gaps, copy);
}

static void add_unknown(struct report *report, const char *name)
{
	size_t i;

	for (i = 0; i < report->judged.unknown.count; i++)
		if (!strcmp(report->judged.unknown.items[i], name))
			return;
	vec_push(report->arena, &report->judged.unknown, arena_strdup(report->arena, name));
}

/* Adds up how much of the files was judged. */
static void add_judged(struct report *report, const struct judged *judged)
{
	struct judged *all = &report->judged;
	size_t i;

	report->partly += judged->status == JUDGED_PARTLY;
	report->not_judged += judged->status == JUDGED_NOT;
	all->decided += judged->decided;
	all->undecided += judged->undecided;
	all->optional += judged->optional;
	if (judged->status > all->status)
		all->status = judged->status;
	if (judged->why)
		all->why = judged->why;
	for (i = 0; i < judged->gaps.count; i++)
		add_gap(report, &judged->gaps.items[i]);
	for (i = 0; i < judged->unknown.count; i++)
		add_unknown(report, judged->unknown.items[i]);
}

void report_file(struct report *report, const struct format *format, const struct checked *file,
		 struct buf *out)
{
	const struct judged judged = judged_of(file->job);

	add_judged(report, &judged);
	report->totals.errors += findings_count(file->findings, SEVERITY_ERROR);
	report->totals.warnings += findings_count(file->findings, SEVERITY_WARNING);
	report->totals.notes += findings_count(file->findings, SEVERITY_NOTE);
	leave_out(report, file);
	format->file(report, file, out);
	report->done++;
}

void report_unread(struct report *report, const char *path, const char *error)
{
	struct unread unread = { arena_strdup(report->arena, path),
				 arena_strdup(report->arena, error) };

	vec_push(report->arena, &report->unread, unread);
}

bool report_fails(const struct totals *totals, enum severity failing)
{
	return totals->errors || (failing <= SEVERITY_WARNING && totals->warnings) ||
	       (failing == SEVERITY_NOTE && totals->notes);
}

void report_complaints(struct job *job, const char *path, int columns, bool quiet, struct buf *out)
{
	struct checked file = { .path = path, .job = job, .findings = job->findings };
	struct report report = { .arena = job->arena,
				 .count = 1,
				 .columns = columns,
				 .quiet = quiet,
				 .failing = SEVERITY_ERROR };
	const struct format *text = format_find("text");

	findings_sort(job->findings);
	text->begin(&report, out);
	report_file(&report, text, &file, out);
	text->end(&report, out);
}

static void put_count(struct buf *out, size_t count, const char *noun)
{
	buf_printf(out, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

/* "48 rules wait for the world size (--world N)", each gap after the other. */
static void put_gaps(const struct report *report, struct buf *out)
{
	const struct judged *judged = &report->judged;
	size_t i;

	for (i = 0; i < judged->gaps.count; i++) {
		buf_text(out, i ? ", " : ": ");
		put_count(out, judged->gaps.items[i].rules, "rule");
		buf_printf(out, " undecided for want of %s", judged->gaps.items[i].needs);
	}
}

/* How much was judged, before what was found: green means looked at. */
static void put_judged(const struct report *report, struct buf *out)
{
	if (!report->partly && !report->not_judged)
		return;
	if (report->done == 1 && report->not_judged) {
		buf_printf(out, "not judged: %s; ", report->judged.why);
		return;
	}
	if (report->done == 1)
		buf_text(out, "partly judged");
	else if (report->not_judged)
		buf_printf(out, "%zu not judged, %zu partly", report->not_judged, report->partly);
	else
		buf_printf(out, "%zu partly judged", report->partly);
	put_gaps(report, out);
	buf_text(out, "; ");
}

void report_summary(const struct report *report, struct buf *out)
{
	struct totals totals = report->totals;

	put_judged(report, out);
	if (totals.errors + totals.warnings + totals.notes) {
		put_count(out, totals.errors, "error");
		buf_text(out, ", ");
		put_count(out, totals.warnings, "warning");
		buf_text(out, ", ");
		put_count(out, totals.notes, "note");
	} else {
		buf_text(out, "no findings");
	}
	buf_text(out, " in ");
	put_count(out, report->done, "file");
	if (report->known)
		buf_printf(out, ", %zu in the baseline", report->known);
}
