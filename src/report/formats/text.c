#include "base/text.h"
#include "report/findings/excerpt.h"
#include "report/findings/remarks.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

/* "train.toml:9:32: error: message [rule]" */
static void put_headline(const struct checked *file, const struct finding *finding,
			 const struct style *style, struct buf *out)
{
	struct buf text;
	int used;

	buf_init(&text);
	if (span_known(finding->span))
		buf_printf(&text,
			   "%s:%u:%u: ", text_on_line(file->job->arena, finding->span.source->path),
			   (unsigned int)finding->span.line, (unsigned int)finding->span.column);
	else
		buf_printf(&text, "%s: ", text_on_line(file->job->arena, file->path));
	style_put(style, out, COLOR_BOLD);
	buf_text(out, text.data);
	used = display_width(text.data, text.length);
	style_put(style, out, COLOR_PLAIN);
	style_put(style, out, style_severity(finding->severity));
	buf_printf(out, "%s:", severity_name(finding->severity));
	style_put(style, out, COLOR_PLAIN);
	buf_clear(&text);
	buf_printf(&text, " %s [%s]", finding->message, finding->rule->name);
	wrap_text(out, text.data, used + (int)strlen(severity_name(finding->severity)) + 1, 4,
		  style->columns);
	buf_char(out, '\n');
	buf_release(&text);
}

/* "  = requested: ..." under the excerpt. */
static void put_remark(const struct finding *finding, const char *label, const char *text,
		       const struct style *style, struct buf *out)
{
	int gutter = excerpt_gutter(finding), indent = gutter + 3;

	style_put(style, out, COLOR_DIM);
	buf_printf(out, "%*s = ", gutter, "");
	style_put(style, out, COLOR_PLAIN);
	style_put(style, out, COLOR_BOLD);
	buf_printf(out, "%s:", label);
	style_put(style, out, COLOR_PLAIN);
	buf_char(out, ' ');
	wrap_text(out, text, indent + display_width(label, strlen(label)) + 2, indent + 2,
		  style->columns);
	buf_char(out, '\n');
}

/* Related places in other texts: presets, options, the command line. */
static void put_elsewhere(struct arena *arena, const struct finding *finding,
			  const struct style *style, struct buf *out)
{
	const char *text;
	size_t i;

	for (i = 0; i < finding->related.count; i++) {
		text = remark_elsewhere(arena, finding, &finding->related.items[i]);
		if (text)
			put_remark(finding, "see", text, style, out);
	}
}

static void put_finding(const struct checked *file, const struct finding *finding,
			const struct style *style, struct buf *out)
{
	struct arena *arena = file->job->arena;
	struct remark remarks[REMARKS];
	size_t i, count = remarks_of(arena, finding, remarks);

	put_headline(file, finding, style, out);
	excerpt_write(arena, finding, style, out);
	put_elsewhere(arena, finding, style, out);
	for (i = 0; i < count; i++)
		put_remark(finding, remarks[i].label, remarks[i].text, style, out);
	excerpt_edits(arena, finding, style, out);
}

static void put_assumptions(const struct report *report, const struct checked *file,
			    struct buf *out)
{
	if (report->count > 1)
		buf_printf(out, "%s:\n", text_on_line(file->job->arena, file->path));
	report_assumptions(file->job, out, report->color, report->columns);
}

static void begin(struct report *report, struct buf *out)
{
	(void)report;
	(void)out;
}

/* Those of one severity, in the order of the file. */
static void put_findings(const struct report *report, const struct checked *file,
			 enum severity severity, struct buf *out)
{
	const struct style style = { report->color, report->columns };
	size_t i;

	for (i = 0; i < file->findings->list.count; i++) {
		const struct finding *finding = file->findings->list.items[i];
		if (finding->severity != severity)
			continue;
		if (out->length && !report->quiet)
			buf_char(out, '\n');
		put_finding(file, finding, &style, out);
	}
}

/* What stops the job stands first, remarks last. */
static void put_file(struct report *report, const struct checked *file, struct buf *out)
{
	int severity;

	if (report->done && !report->quiet)
		buf_char(out, '\n');
	if (!report->quiet)
		put_assumptions(report, file, out);
	for (severity = SEVERITY_ERROR; severity >= (int)SEVERITY_NOTE; severity--)
		if (!report->quiet || severity >= (int)report->failing)
			put_findings(report, file, (enum severity)severity, out);
}

static void end(struct report *report, struct buf *out)
{
	struct buf summary;

	if (report->quiet || (!report->done && !report->walked))
		return;
	buf_init(&summary);
	report_summary(report, &summary);
	buf_char(out, '\n');
	wrap_text(out, summary.data, 0, 2, report->columns);
	buf_char(out, '\n');
	buf_release(&summary);
}

const struct format format_text = {
	.name = "text",
	.summary = "for people: source excerpts with carets",
	.begin = begin,
	.file = put_file,
	.end = end,
};
