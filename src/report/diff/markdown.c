#include "report/diff/diff.h"
#include "report/markdown.h"

#include <inttypes.h>
#include <string.h>

struct page {
	const struct diff *diff;
	const struct changes *changes;
	struct arena *arena;
	struct buf *out;
};

static void put_value(struct buf *out, const char *text, enum change_kind kind)
{
	if (text)
		markdown_code(out, text);
	else
		buf_text(out, diff_nothing(kind));
}

/* ---- tables ---- */

static const char *times(struct arena *arena, const struct change *change)
{
	return change->count > 1 ? arena_printf(arena, " ×%" PRId64, change->count) : "";
}

static void put_row(struct page *page, const struct change *change, bool kinds)
{
	struct buf *out = page->out;

	buf_text(out, "| ");
	if (kinds)
		buf_printf(out, "%s | ", change_kind_name(change->kind));
	markdown_code(out, change->subject);
	buf_printf(out, "%s | ", times(page->arena, change));
	put_value(out, change->before, change->kind);
	buf_text(out, " | ");
	put_value(out, change->after, change->kind);
	if (change->kind == CHANGE_PLACEMENT) {
		buf_text(out, " | ");
		put_value(out, change->before_local, change->kind);
		buf_text(out, " | ");
		put_value(out, change->after_local, change->kind);
	}
	buf_text(out, " |\n");
}

static void put_rows(struct page *page, enum change_kind kind, bool kinds)
{
	size_t i;

	for (i = 0; i < page->changes->list.count; i++)
		if (page->changes->list.items[i].kind == kind)
			put_row(page, &page->changes->list.items[i], kinds);
}

/* What a reviewer reads first, in one table: everything but the long lists. */
static void put_overview(struct page *page)
{
	static const char *const heads[] = { "", "", "before", "after" };
	static const enum change_kind kinds[] = {
		CHANGE_VERSION,	 CHANGE_SETTING, CHANGE_DEGREE,	 CHANGE_EXCEPTION,
		CHANGE_STRATEGY, CHANGE_GROUP,	 CHANGE_TRAFFIC, CHANGE_MESH,
	};
	size_t i, rows = 0;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		rows += changes_count(page->changes, kinds[i]);
	if (!rows)
		return;
	markdown_table(page->out, heads, 4);
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		put_rows(page, kinds[i], true);
}

/* A list that is folded until somebody opens it. */
static void put_folded(struct page *page, enum change_kind kind)
{
	static const char *const heads[] = { "", "before", "after", "local before", "local after" };

	if (!changes_count(page->changes, kind))
		return;
	buf_printf(page->out, "\n<details><summary>%s: %" PRId64 "</summary>\n", diff_heading(kind),
		   diff_total(page->changes, kind));
	markdown_table(page->out, heads, kind == CHANGE_PLACEMENT ? 5 : 3);
	put_rows(page, kind, false);
	buf_text(page->out, "\n</details>\n");
}

/* ---- findings ---- */

static void put_finding(struct page *page, const struct change *change)
{
	const char *what = !change->before ? "new" : !change->after ? "gone" : "changed";
	const char *text = change->after ? change->after : change->before;
	struct span span = change->after ? change->after_span : change->before_span;

	buf_printf(page->out, "- **%s** ", what);
	markdown_code(page->out, change->subject);
	buf_text(page->out, " ");
	markdown_text(page->out, text);
	if (span_known(span)) {
		buf_text(page->out, " (");
		markdown_code(page->out, arena_printf(page->arena, "%s:%u", span.source->path,
						      (unsigned int)span.line));
		buf_text(page->out, ")");
	}
	buf_char(page->out, '\n');
}

static void put_findings(struct page *page)
{
	size_t i;

	if (!changes_count(page->changes, CHANGE_FINDING))
		return;
	buf_text(page->out, "\n**Findings**\n\n");
	for (i = 0; i < page->changes->list.count; i++)
		if (page->changes->list.items[i].kind == CHANGE_FINDING)
			put_finding(page, &page->changes->list.items[i]);
	if (page->changes->same_findings)
		buf_printf(page->out, "- %zu the same\n", page->changes->same_findings);
}

static void put_limits(struct page *page)
{
	size_t i;

	for (i = 0; i < page->changes->limits.count; i++) {
		buf_text(page->out, "\n> ");
		markdown_text(page->out, page->changes->limits.items[i]);
		buf_char(page->out, '\n');
	}
}

/* ---- a range of versions ---- */

/* A commit as a link to it. */
static void put_version(struct buf *out, const struct point *point)
{
	bool commit = strlen(point->version) == 9 &&
		      strspn(point->version, "0123456789abcdef") == strlen(point->version);

	buf_text(out, commit ? "[" : "");
	markdown_code(out, point->version);
	if (commit)
		buf_printf(out, "](https://github.com/pytorch/torchtitan/commit/%s)",
			   point->version);
}

static void put_epochs(struct page *page)
{
	static const char *const heads[] = { "date", "version", "upstream", "here" };
	const struct epochs *epochs = page->diff->epochs;
	size_t i;

	if (!epochs)
		return;
	buf_printf(page->out, "\n%zu of %zu recorded changes in between change this config.\n",
		   epochs->list.count, epochs->list.count + epochs->quiet);
	if (!epochs->list.count)
		return;
	markdown_table(page->out, heads, 4);
	for (i = 0; i < epochs->list.count; i++) {
		const struct epoch *epoch = &epochs->list.items[i];
		buf_printf(page->out, "| %s | %s ", diff_day(page->arena, epoch->point),
			   epoch->point->framework);
		put_version(page->out, epoch->point);
		buf_text(page->out, " | ");
		markdown_text(page->out, epoch->point->what);
		buf_text(page->out, " | ");
		markdown_text(page->out, changes_line(&epoch->changes));
		buf_text(page->out, " |\n");
	}
	buf_text(page->out, "\nFrom the first version to the last:\n");
}

static void put_title(struct page *page)
{
	const struct diff *diff = page->diff;

	buf_text(page->out, "### ");
	markdown_code(page->out, diff->paths[0]);
	if (!diff->epochs) {
		buf_text(page->out, " → ");
		markdown_code(page->out, diff->paths[1]);
	} else {
		buf_printf(page->out, ", %s ", diff->framework);
		markdown_code(page->out, diff->sides[0].name);
		buf_text(page->out, " → ");
		markdown_code(page->out, diff->sides[1].name);
	}
	buf_char(page->out, '\n');
}

void diff_markdown(const struct diff *diff, const struct style *style, struct buf *out)
{
	struct page page = {
		.diff = diff, .changes = &diff->changes, .arena = diff->arena, .out = out
	};

	(void)style;
	put_title(&page);
	put_epochs(&page);
	put_overview(&page);
	if (!changes_any(page.changes))
		buf_text(out, "\nNo difference: settings, plan and findings are the same.\n");
	put_findings(&page);
	put_folded(&page, CHANGE_MESH_NAME);
	put_folded(&page, CHANGE_PLACEMENT);
	put_folded(&page, CHANGE_UNIT);
	put_folded(&page, CHANGE_STAGE);
	put_limits(&page);
}
