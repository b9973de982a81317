#include "report/markdown.h"
#include "report/pull/pull.h"

#include <string.h>

struct page {
	const struct pull *pull;
	const struct style *style;
	struct buf *out;
};

static void put_place(struct page *page, struct span span)
{
	if (!span_known(span))
		return;
	buf_text(page->out, " (");
	markdown_code(page->out, arena_printf(page->pull->arena, "%s:%u", span.source->path,
					      (unsigned int)span.line));
	buf_char(page->out, ')');
}

static void put_remark(struct page *page, const char *label, const char *text)
{
	if (!text)
		return;
	buf_printf(page->out, "  - %s: ", label);
	markdown_text(page->out, text);
	buf_char(page->out, '\n');
}

static void put_finding(struct page *page, const struct finding *finding)
{
	buf_printf(page->out, "- **%s** ", severity_name(finding->severity));
	markdown_code(page->out, finding->rule->name);
	buf_char(page->out, ' ');
	markdown_text(page->out, finding->message);
	put_place(page, finding->span);
	buf_char(page->out, '\n');
	put_remark(page, "stops with", finding->quote);
	put_remark(page, "fix", finding->fix ? finding->fix : finding->rule->remedy);
}

static void put_findings(struct page *page, const struct pull_file *file)
{
	size_t i, count = file->fresh.job ? file->fresh.findings->list.count : 0;

	buf_text(page->out, "\n");
	if (file->fresh.job && *judged_remark(&file->fresh)) {
		buf_text(page->out, "- ");
		markdown_text(page->out, judged_remark(&file->fresh));
		buf_char(page->out, '\n');
	}
	for (i = 0; i < count; i++)
		put_finding(page, file->fresh.findings->list.items[i]);
	if (!count)
		buf_text(page->out, "No new finding.\n");
}

/* The cell of a side; "" where that side is not there at all. */
static const char *cell_of(const struct page *page, const struct outlook *outlook, int row)
{
	const char *text = outlook ? outlook_cell(page->pull->arena, outlook, row) : "";

	return text ? text : outlook_nothing(outlook, row);
}

static bool has_cell(const struct page *page, const struct outlook *outlook, int row)
{
	return outlook && outlook_cell(page->pull->arena, outlook, row);
}

/* What changes is bold. */
static void put_row(struct page *page, const struct pull_file *file, int row)
{
	const char *before = cell_of(page, file->before, row);
	const char *after = cell_of(page, file->after, row);
	bool bold = *before && *after && strcmp(before, after) != 0;

	if (!has_cell(page, file->before, row) && !has_cell(page, file->after, row))
		return;
	buf_printf(page->out, "| %s | ", outlook_row_name(row));
	markdown_text(page->out, before);
	buf_text(page->out, bold ? " | **" : " | ");
	markdown_text(page->out, after);
	buf_text(page->out, bold ? "** |\n" : " |\n");
}

static void put_outlooks(struct page *page, const struct pull_file *file)
{
	static const char *const heads[] = { "", "before", "after" };
	int row;

	if (!file->before && !file->after)
		return;
	markdown_table(page->out, heads, 3);
	for (row = 0; row < OUTLOOK_ROWS; row++)
		put_row(page, file, row);
	if (!file->after || !file->after->missing)
		return;
	buf_text(page->out, "\nNo memory and step time: ");
	markdown_text(page->out, file->after->missing);
	buf_text(page->out, ".\n");
}

static void put_handover(struct page *page, const struct handover *handover)
{
	if (!handover)
		return;
	buf_printf(page->out, "\nA checkpoint written before this change: **%s**: ",
		   handover_verdict(handover));
	markdown_text(page->out, handover->resume ? handover_text(page->pull->arena, handover)
						  : handover->why_not);
	buf_text(page->out, ".\n");
}

static void put_title(struct page *page, const struct pull_file *file)
{
	buf_text(page->out, "\n### ");
	markdown_code(page->out, file->path);
	buf_printf(page->out, " %s", file_status_name(file->status));
	if (file->status == FILE_RENAMED) {
		buf_text(page->out, " from ");
		markdown_code(page->out, file->old_path);
	}
	buf_char(page->out, '\n');
}

/* Folded, since the table above is what most reviewers want. */
static void put_diff(struct page *page, const struct diff *diff)
{
	if (!diff || !diff_any(diff))
		return;
	buf_text(page->out, "\n<details><summary>Everything that changes</summary>\n\n");
	diff_markdown(diff, page->style, page->out);
	buf_text(page->out, "\n</details>\n");
}

static void put_file(struct page *page, const struct pull_file *file)
{
	put_title(page, file);
	put_findings(page, file);
	put_outlooks(page, file);
	put_handover(page, file->handover);
	put_diff(page, file->diff);
}

void pull_markdown(const struct pull *pull, const struct style *style, struct buf *out)
{
	struct page page = { pull, style, out };
	const char *left_out = pull_left_out(pull);
	size_t i;

	buf_printf(out, "<!-- parplan ci -->\n## parplan: %s\n\nAgainst ", pull_headline(pull));
	markdown_code(out, pull->ref);
	buf_printf(out, " (%.12s).", pull->commit);
	if (*left_out) {
		buf_char(out, ' ');
		markdown_text(out, left_out);
	}
	buf_char(out, '\n');
	for (i = 0; i < pull->files.count; i++)
		put_file(&page, &pull->files.items[i]);
}
