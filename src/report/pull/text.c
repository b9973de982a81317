#include "report/pull/pull.h"

#include "base/text.h"

#include <string.h>

struct page {
	const struct pull *pull;
	const struct style *style;
	struct buf *out;
};

/* ---- findings ---- */

/* Each as check prints it. */
static void put_findings(struct page *page, const struct pull_file *file)
{
	struct report report = { .arena = page->pull->arena,
				 .count = 1,
				 .color = page->style->color,
				 .columns = page->style->columns,
				 .quiet = true,
				 .failing = SEVERITY_NOTE };
	size_t i, count = file->fresh.job ? file->fresh.findings->list.count : 0;
	struct findings one = { .arena = page->pull->arena };
	struct checked shown = file->fresh;

	shown.findings = &one;
	for (i = 0; i < count; i++) {
		one.list.count = 0;
		vec_push(one.arena, &one.list, file->fresh.findings->list.items[i]);
		buf_char(page->out, '\n');
		report_file(&report, format_find("text"), &shown, page->out);
	}
}

/* ---- before and after ---- */

static void put_wrapped(struct page *page, const char *text, int used, int indent)
{
	wrap_text(page->out, text, used, indent, page->style->columns);
	buf_char(page->out, '\n');
}

static const char *cell_of(const struct page *page, const struct outlook *outlook, int row)
{
	return outlook ? outlook_cell(page->pull->arena, outlook, row) : NULL;
}

/* "global batch      16 -> 32"; what stays is told once. */
static void put_row(struct page *page, const struct pull_file *file, int row)
{
	enum { NAME = 18 };
	struct arena *arena = page->pull->arena;
	const char *before = cell_of(page, file->before, row);
	const char *after = cell_of(page, file->after, row), *text = after ? after : before;

	if (!text)
		return;
	if (file->before && file->after && (!before || !after || strcmp(before, after) != 0))
		text = arena_printf(arena, "%s -> %s",
				    before ? before : outlook_nothing(file->before, row),
				    after ? after : outlook_nothing(file->after, row));
	buf_printf(page->out, "  %-*s", NAME, outlook_row_name(row));
	put_wrapped(page, text, 2 + NAME, 4 + NAME);
}

static void put_missing(struct page *page, const struct outlook *outlook, const char *which)
{
	if (!outlook || !outlook->missing)
		return;
	buf_text(page->out, "  ");
	put_wrapped(page,
		    arena_printf(page->pull->arena, "No memory and step time%s: %s.", which,
				 outlook->missing),
		    2, 4);
}

static void put_outlooks(struct page *page, const struct pull_file *file)
{
	const struct outlook *before = file->before, *after = file->after;
	bool alike = before && after && before->missing && after->missing &&
		     !strcmp(before->missing, after->missing);
	int row;

	if (!before && !after)
		return;
	buf_char(page->out, '\n');
	for (row = 0; row < OUTLOOK_ROWS; row++)
		put_row(page, file, row);
	if (!alike)
		put_missing(page, before, " before");
	put_missing(page, after, alike || !before ? "" : " after");
}

static void put_handover(struct page *page, const struct handover *handover)
{
	struct arena *arena = page->pull->arena;

	if (!handover)
		return;
	buf_text(page->out, "  ");
	if (handover->resume)
		put_wrapped(page,
			    arena_printf(arena, "A checkpoint written before this change %s: %s.",
					 handover_verdict(handover),
					 handover_text(arena, handover)),
			    2, 4);
	else
		put_wrapped(page,
			    arena_printf(arena,
					 "Whether a checkpoint written before this change loads is "
					 "not known: %s.",
					 handover->why_not),
			    2, 4);
}

/* ---- files ---- */

static void put_title(struct page *page, const struct pull_file *file)
{
	buf_char(page->out, '\n');
	style_put(page->style, page->out, COLOR_BOLD);
	buf_text(page->out, text_on_line(page->pull->arena, file->path));
	style_put(page->style, page->out, COLOR_PLAIN);
	buf_printf(page->out, " (%s", file_status_name(file->status));
	if (file->status == FILE_RENAMED)
		buf_printf(page->out, " from %s", text_on_line(page->pull->arena, file->old_path));
	if (file->same)
		buf_printf(page->out, "; %zu finding%s as before", file->same,
			   file->same == 1 ? "" : "s");
	if (file->known)
		buf_printf(page->out, "; %zu in the baseline", file->known);
	buf_text(page->out, ")\n");
}

/* How much of the file as it is now was judged, where that is not all. */
static void put_judged(struct page *page, const struct pull_file *file)
{
	const char *remark = file->fresh.job ? judged_remark(&file->fresh) : "";

	if (!*remark)
		return;
	buf_text(page->out, "  ");
	put_wrapped(page, remark, 2, 4);
}

static void put_file(struct page *page, const struct pull_file *file)
{
	put_title(page, file);
	put_judged(page, file);
	put_findings(page, file);
	put_outlooks(page, file);
	put_handover(page, file->handover);
	if (!file->diff || !diff_any(file->diff))
		return;
	buf_char(page->out, '\n');
	diff_text(file->diff, page->style, page->out);
}

void pull_text(const struct pull *pull, const struct style *style, struct buf *out)
{
	struct page page = { pull, style, out };
	const char *left_out = pull_left_out(pull);
	size_t i;

	put_wrapped(&page,
		    arena_printf(pull->arena, "Against %s (%.12s): %s", pull->ref, pull->commit,
				 pull_headline(pull)),
		    0, 2);
	if (*left_out)
		put_wrapped(&page, left_out, 0, 2);
	for (i = 0; i < pull->files.count; i++)
		put_file(&page, &pull->files.items[i]);
}
