#include "report/findings/digest.h"
#include "report/findings/headline.h"
#include "report/findings/remarks.h"

#include <string.h>

/*
 * Workflow commands, one line each, which the runner turns into annotations; it shows the first ten
 * errors, warnings and notices of a step. The digest becomes the job's summary.
 * https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
static const char *const words[] = {
	[SEVERITY_NOTE] = "notice",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_ERROR] = "error",
};

/* Percent, line breaks, and in a property what ends it are written as %XX. */
static void put_escaped(struct buf *out, const char *text, bool property)
{
	const char *special = property ? "%\r\n:," : "%\r\n";

	for (; *text; text++) {
		if (strchr(special, *text))
			buf_printf(out, "%%%02X", (unsigned int)(unsigned char)*text);
		else
			buf_char(out, *text);
	}
}

/* "file=train.yaml,line=9,endLine=9,col=32,endColumn=34,"; columns only within one line. */
static void put_place(const struct spot *place, struct buf *out)
{
	const struct span *span = &place->span;

	if (!place->file)
		return;
	buf_text(out, "file=");
	put_escaped(out, place->path, true);
	buf_char(out, ',');
	if (!span_known(*span))
		return;
	buf_printf(out, "line=%u,endLine=%u,", (unsigned int)span->line,
		   (unsigned int)span->end_line);
	if (span->line == span->end_line)
		buf_printf(out, "col=%u,endColumn=%u,", (unsigned int)span->column,
			   (unsigned int)span->end_column);
}

static void put_finding(const struct checked *file, const struct finding *finding, struct buf *out)
{
	const struct spot place = spot_of(file, finding->span);
	struct arena *arena = file->job->arena;
	struct remark remarks[REMARKS];
	size_t i, count = remarks_of(arena, finding, remarks);
	const char *text = plain_text(arena, spot_message(arena, &place, finding));
	struct buf where;

	buf_init(&where);
	buf_printf(out, "::%s ", words[finding->severity]);
	put_place(&place, out);
	if (!place.file) {
		headline_place(&place, &where);
		text = arena_printf(arena, "%s: %s", where.data, text);
	}
	buf_printf(out, "title=parplan (%s)::", finding->rule->name);
	put_escaped(out, text, false);
	buf_release(&where);
	for (i = 0; i < count; i++) {
		text = plain_text(arena, remarks[i].text);
		buf_printf(out, "%%0A%s: ", remarks[i].label);
		put_escaped(out, text, false);
	}
	buf_char(out, '\n');
}

/* How much of the file was judged, where that is not all. */
static void put_judged(const struct report *report, const struct checked *file, struct buf *out)
{
	const struct spot place = spot_of(file, (struct span) { 0 });
	const char *remark = judged_remark(file);

	if (!*remark)
		return;
	buf_printf(out, "::%s ", words[judged_severity(report)]);
	put_place(&place, out);
	buf_text(out, "title=parplan (judged)::");
	put_escaped(out, plain_text(file->job->arena, remark), false);
	buf_char(out, '\n');
}

static void begin(struct report *report, struct buf *out)
{
	(void)out;
	report->state = digest_new(report);
}

static void put_file(struct report *report, const struct checked *file, struct buf *out)
{
	size_t i;

	put_judged(report, file, out);
	for (i = 0; i < file->findings->list.count; i++)
		put_finding(file, file->findings->list.items[i], out);
	digest_add(report->state, file);
}

static void end(struct report *report, struct buf *out)
{
	size_t i;

	for (i = 0; i < report->unread.count; i++) {
		buf_text(out, "::error title=parplan::");
		put_escaped(out, plain_text(report->arena, report->unread.items[i].error), false);
		buf_char(out, '\n');
	}
	report_summary(report, out);
	buf_char(out, '\n');
}

static void digest(struct report *report, struct buf *out)
{
	digest_write(report->state, out);
}

const struct format format_github = {
	.name = "github",
	.summary = "annotations of a GitHub workflow, and its job summary",
	.commands = true,
	.begin = begin,
	.file = put_file,
	.end = end,
	.digest_to = "GITHUB_STEP_SUMMARY",
	.digest = digest,
};
