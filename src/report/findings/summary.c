#include "report/report.h"

#include <string.h>

static void leave_out(struct report *report, const struct checked *file,
		      const struct judged *judged)
{
	const char *path = judged->open.count ? arena_strdup(report->arena, file->path) : "";
	size_t i;

	for (i = 0; i < judged->open.count; i++) {
		const struct judged_open *open = &judged->open.items[i];
		struct left_out left_out = { path, open->rule->id,
					     arena_strdup(report->arena, open->needs),
					     open->optional };

		vec_push(report->arena, &report->left_out, left_out);
	}
}

void report_file(struct report *report, const struct format *format, const struct checked *file,
		 struct buf *out)
{
	const struct judged judged = judged_of(file->job);

	report->partly += judged.status == JUDGED_PARTLY;
	report->not_judged += judged.status == JUDGED_NOT;
	report->unjudged_fails =
		report->unjudged_fails || (report->strict && judged.status != JUDGED);
	judged_add(report->arena, &report->judged, &judged);
	report->totals.errors += findings_count(file->findings, SEVERITY_ERROR);
	report->totals.warnings += findings_count(file->findings, SEVERITY_WARNING);
	report->totals.notes += findings_count(file->findings, SEVERITY_NOTE);
	leave_out(report, file, &judged);
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

/* How much was judged, before what was found: green means looked at. */
static void put_judged(const struct report *report, struct buf *out)
{
	const char *text = judged_text(report->arena, &report->judged);

	if (report->done > 1 && report->not_judged)
		buf_printf(out, "%zu not judged, ", report->not_judged);
	if (report->done > 1 && *text)
		buf_printf(out, "%zu ", report->partly);
	if (report->done > 1 && report->not_judged && *text)
		text = judged_gaps(report->arena, &report->judged, "partly judged");
	if (*text)
		buf_printf(out, "%s%s; ", text, report->unjudged_fails ? JUDGED_STRICTLY : "");
}

void report_summary(const struct report *report, struct buf *out)
{
	struct totals totals = report->totals;
	const char *passed_over = passed_over_text(report->arena, &report->passed_over, "file",
						   "the project's settings");

	put_judged(report, out);
	if (!report->done) {
		buf_text(out, "no file is a config");
	} else if (totals.errors + totals.warnings + totals.notes) {
		put_count(out, totals.errors, "error");
		buf_text(out, ", ");
		put_count(out, totals.warnings, "warning");
		buf_text(out, ", ");
		put_count(out, totals.notes, "note");
	} else {
		buf_text(out, "no findings");
	}
	if (report->done) {
		buf_text(out, " in ");
		put_count(out, report->done, "file");
	}
	if (report->known)
		buf_printf(out, ", %zu in the baseline", report->known);
	if (*passed_over)
		buf_printf(out, ". %s", passed_over);
}
