#include "report/report.h"

#include <string.h>

struct totals report_totals(const struct report *report)
{
	struct totals totals = { 0 };
	size_t i;

	for (i = 0; i < report->count; i++) {
		const struct findings *findings = report->files[i].findings;

		totals.errors += findings_count(findings, SEVERITY_ERROR);
		totals.warnings += findings_count(findings, SEVERITY_WARNING);
		totals.notes += findings_count(findings, SEVERITY_NOTE);
	}
	return totals;
}

static void put_count(struct buf *out, size_t count, const char *noun)
{
	buf_printf(out, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

/* Something that was missing, and how many rules it kept from being judged. */
struct gap {
	const char *needs;
	size_t rules;
};

struct gaps {
	VEC(struct gap) list;
};

static void count_gap(struct arena *arena, struct gaps *gaps, const char *needs)
{
	struct gap gap = { needs, 1 };
	size_t i;

	for (i = 0; i < gaps->list.count; i++)
		if (!strcmp(gaps->list.items[i].needs, needs)) {
			gaps->list.items[i].rules++;
			return;
		}
	vec_push(arena, &gaps->list, gap);
}

static void put_skipped(const struct report *report, struct buf *out)
{
	struct gaps gaps = { 0 };
	size_t i, j, total = 0;

	for (i = 0; i < report->count; i++)
		for (j = 0; j < report->files[i].skips.list.count; j++, total++)
			count_gap(report->arena, &gaps, report->files[i].skips.list.items[j].needs);
	if (!total)
		return;
	buf_text(out, " (");
	put_count(out, total, "rule");
	buf_text(out, gaps.list.count > 1 ? " skipped:" : " skipped");
	for (i = 0; i < gaps.list.count; i++) {
		if (gaps.list.count > 1)
			buf_printf(out, "%s %zu", i ? "," : "", gaps.list.items[i].rules);
		buf_printf(out, " for want of %s", gaps.list.items[i].needs);
	}
	buf_char(out, ')');
}

void report_summary(const struct report *report, struct buf *out)
{
	struct totals totals = report_totals(report);

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
	put_count(out, report->count, "file");
	put_skipped(report, out);
}
