#include "report/diff/diff.h"

#include "base/text.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

/* No subject is given more room than this before its values. */
enum { SUBJECT = 40, UNWRAPPED = 1 << 20 };

struct page {
	const struct diff *diff;
	const struct changes *changes;
	struct arena *arena;
	const struct style *style;
	struct buf *out;
};

static const int sign_colors[2] = { COLOR_ERROR, COLOR_FIX };
static const char signs[2] = { '-', '+' };

/* A line of one side, broken where it is too long: "    - text". */
static void put_side(struct page *page, int side, int indent, const char *text)
{
	buf_repeat(page->out, ' ', (size_t)indent);
	style_put(page->style, page->out, sign_colors[side]);
	buf_char(page->out, signs[side]);
	style_put(page->style, page->out, COLOR_PLAIN);
	buf_char(page->out, ' ');
	wrap_text(page->out, text_on_line(page->arena, text), indent + 2, indent + 4,
		  page->style->columns);
	buf_char(page->out, '\n');
}

static void put_paragraph(struct page *page, const char *text, int indent)
{
	buf_repeat(page->out, ' ', (size_t)indent);
	wrap_text(page->out, text, indent, indent, page->style->columns);
	buf_char(page->out, '\n');
}

/* ---- the two ---- */

/* What is assumed of a job, on one line. */
static const char *assumptions(struct arena *arena, const struct job *job)
{
	struct buf line;
	char *text;

	buf_init(&line);
	report_assumptions(job, &line, false, UNWRAPPED);
	text = arena_strndup(arena, line.data, strcspn(line.data, "\n"));
	buf_release(&line);
	return text;
}

static void put_sides(struct page *page)
{
	const struct diff *diff = page->diff;
	int side;

	for (side = 0; side < 2; side++)
		put_side(page, side, 0,
			 arena_printf(page->arena, "%s: %s", diff->paths[side],
				      assumptions(page->arena, diff->sides[side].job)));
}

/* ---- rows of a section ---- */

static const char *or_nothing(const char *text, enum change_kind kind)
{
	return text ? text : diff_nothing(kind);
}

static const char *subject_text(struct arena *arena, const struct change *change)
{
	const char *subject = text_on_line(arena, change->subject);

	return change->count > 1 ? arena_printf(arena, "%s x%" PRId64, subject, change->count)
				 : subject;
}

static int subject_width(struct page *page, enum change_kind kind)
{
	int width = 0, longest;
	size_t i;

	for (i = 0; i < page->changes->list.count; i++) {
		const struct change *change = &page->changes->list.items[i];
		const char *text = subject_text(page->arena, change);
		if (change->kind != kind)
			continue;
		longest = display_width(text, strlen(text));
		width = longest > width && longest <= SUBJECT ? longest : width;
	}
	return width;
}

/* "  subject  before -> after" where that fits, else a line for each. */
static void put_row(struct page *page, const struct change *change, int width)
{
	const char *subject = subject_text(page->arena, change);
	const char *before = or_nothing(change->before, change->kind);
	const char *after = or_nothing(change->after, change->kind);
	int room = width - display_width(subject, strlen(subject));
	char *row = arena_printf(page->arena, "  %s%*s  %s -> %s", subject, room > 0 ? room : 0, "",
				 before, after);

	if (display_width(row, strlen(row)) <= page->style->columns && !strchr(row, '\n')) {
		buf_printf(page->out, "%s\n", row);
		return;
	}
	buf_printf(page->out, "  %s\n", subject);
	put_side(page, 0, 4, before);
	put_side(page, 1, 4, after);
}

static void put_rows(struct page *page, enum change_kind kind)
{
	int width = subject_width(page, kind);
	size_t i;

	for (i = 0; i < page->changes->list.count; i++)
		if (page->changes->list.items[i].kind == kind)
			put_row(page, &page->changes->list.items[i], width);
}

/* The framework's own words are not wrapped: people search for them. */
static void put_exceptions(struct page *page, enum change_kind kind)
{
	size_t i;
	int side;

	for (i = 0; i < page->changes->list.count; i++) {
		const struct change *change = &page->changes->list.items[i];
		const char *texts[] = { change->before, change->after };
		if (change->kind != kind)
			continue;
		buf_printf(page->out, "  %s\n", change->subject);
		for (side = 0; side < 2; side++) {
			buf_text(page->out, "    ");
			style_put(page->style, page->out, sign_colors[side]);
			buf_char(page->out, signs[side]);
			style_put(page->style, page->out, COLOR_PLAIN);
			buf_char(page->out, ' ');
			wrap_text(page->out, or_nothing(texts[side], kind), 6, 8, STYLE_UNWRAPPED);
			buf_char(page->out, '\n');
		}
	}
}

/* ---- placements: by how they change, then the parameters that do ---- */

static bool alike(const struct change *a, const struct change *b)
{
	if (a->kind != b->kind || !a->before != !b->before || !a->after != !b->after)
		return false;
	if (!a->before || !a->after) /* the text is the shape, and told of each */
		return true;
	return !strcmp(a->before, b->before) && !strcmp(a->after, b->after);
}

/* "[512, 4096] -> [256, 4096]", or what there is of it. */
static const char *local_texts(struct arena *arena, const struct change *change)
{
	if (!change->before || !change->after)
		return change->before ? change->before : change->after;
	if (!strcmp(change->before_local, change->after_local))
		return arena_printf(arena, "%s on both", change->before_local);
	return arena_printf(arena, "%s -> %s", change->before_local, change->after_local);
}

static void put_member(struct page *page, const struct change *change, int width)
{
	const char *subject = subject_text(page->arena, change);
	const char *local = local_texts(page->arena, change);
	int used = 6 + (int)(strlen(subject) > (size_t)width ? strlen(subject) : (size_t)width);

	if (used + (int)strlen(local) <= page->style->columns)
		buf_printf(page->out, "    %-*s  %s\n", width, subject, local);
	else
		buf_printf(page->out, "    %s\n      %s\n", subject, local);
}

static const char *batch_heading(struct arena *arena, const struct change *change)
{
	if (!change->before)
		return "new, with their whole shapes:";
	if (!change->after)
		return "gone, with their whole shapes:";
	return arena_printf(arena, "%s -> %s", change->before, change->after);
}

static void put_placements(struct page *page, enum change_kind kind)
{
	const struct change *items = page->changes->list.items;
	size_t count = page->changes->list.count, i, j;
	bool *told = arena_array(page->arena, count, sizeof(*told));
	int width = subject_width(page, kind);

	for (i = 0; i < count; i++) {
		if (items[i].kind != kind || told[i])
			continue;
		put_paragraph(page, batch_heading(page->arena, &items[i]), 2);
		for (j = i; j < count; j++) {
			if (told[j] || !alike(&items[i], &items[j]))
				continue;
			told[j] = true;
			put_member(page, &items[j], width);
		}
	}
}

/* ---- findings ---- */

static void put_finding_side(struct page *page, const struct change *change, int side)
{
	const char *text = side ? change->after : change->before;
	const struct span span = side ? change->after_span : change->before_span;
	const char *place = "", *quote = side ? change->after_quote : change->before_quote;

	if (!text)
		return;
	/* What is new or gone stands among the exceptions, too; what it has become does not. */
	if (quote && change->before && change->after)
		text = arena_printf(page->arena, "%s; it stops with %s", text,
				    text_join_lines(page->arena, quote, true));
	if (span_known(span))
		place = arena_printf(page->arena, " (%s:%u:%u)", span.source->path,
				     (unsigned int)span.line, (unsigned int)span.column);
	put_side(page, side, 2,
		 arena_printf(page->arena, "%s [%s]%s", text, change->subject, place));
}

static void put_findings(struct page *page, enum change_kind kind)
{
	size_t i;

	for (i = 0; i < page->changes->list.count; i++)
		if (page->changes->list.items[i].kind == kind) {
			put_finding_side(page, &page->changes->list.items[i], 0);
			put_finding_side(page, &page->changes->list.items[i], 1);
		}
}

/* ---- sections ---- */

/* "Findings: 1 new, 2 the same" */
static const char *findings_heading(struct page *page)
{
	const struct diff_findings findings = diff_findings_of(page->changes);
	const struct {
		size_t count;
		const char *word;
	} parts[] = { { findings.fresh, "new" },
		      { findings.gone, "gone" },
		      { findings.other, "changed" },
		      { page->changes->same_findings, "the same" } };
	const char *text = diff_heading(CHANGE_FINDING);
	size_t i, put = 0;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].count)
			text = arena_printf(page->arena, "%s%s %zu %s", text, put++ ? "," : ":",
					    parts[i].count, parts[i].word);
	return text;
}

static const char *section_heading(struct page *page, enum change_kind kind)
{
	if (kind == CHANGE_PLACEMENT)
		return arena_printf(page->arena,
				    "%s of %" PRId64 " parameters, and the first rank's part",
				    diff_heading(kind), diff_total(page->changes, kind));
	if (kind == CHANGE_FINDING)
		return findings_heading(page);
	return diff_heading(kind);
}

static void put_section(struct page *page, enum change_kind kind)
{
	if (!changes_count(page->changes, kind))
		return;
	style_heading(page->style, page->out, "%s", section_heading(page, kind));
	switch (kind) {
	case CHANGE_EXCEPTION:
		put_exceptions(page, kind);
		return;
	case CHANGE_PLACEMENT:
		put_placements(page, kind);
		return;
	case CHANGE_FINDING:
		put_findings(page, kind);
		return;
	default:
		put_rows(page, kind);
		return;
	}
}

static void put_limits(struct page *page)
{
	size_t i;

	if (page->changes->limits.count)
		style_heading(page->style, page->out, "Note");
	for (i = 0; i < page->changes->limits.count; i++)
		put_paragraph(page, page->changes->limits.items[i], 2);
}

/* ---- a range of versions ---- */

static void put_epoch(struct page *page, const struct epoch *epoch)
{
	const struct point *point = epoch->point;
	const char *day = diff_day(page->arena, point);
	bool foreign = strcmp(point->framework, page->diff->framework) != 0;
	bool dated = *day && strcmp(day, point->version) != 0;
	char *head =
		arena_printf(page->arena, "  %s%s%s%s%s", dated ? day : "", dated ? "  " : "",
			     foreign ? point->framework : "", foreign ? " " : "", point->version);
	int indent = (int)strlen(head) + 2;

	style_put(page->style, page->out, COLOR_BOLD);
	buf_text(page->out, head);
	style_put(page->style, page->out, COLOR_PLAIN);
	buf_text(page->out, "  ");
	wrap_text(page->out, point->what, indent, indent, page->style->columns);
	buf_char(page->out, '\n');
	put_paragraph(page, changes_line(&epoch->changes), 6);
}

static void put_epochs(struct page *page)
{
	const struct epochs *epochs = page->diff->epochs;
	size_t i;

	if (!epochs)
		return;
	if (!epochs->list.count) {
		buf_printf(page->out,
			   "\nNone of the %zu recorded changes in between changes anything for "
			   "this config.\n",
			   epochs->quiet);
		return;
	}
	style_heading(page->style, page->out,
		      "Where it changes: %zu of %zu recorded changes in between",
		      epochs->list.count, epochs->list.count + epochs->quiet);
	for (i = 0; i < epochs->list.count; i++)
		put_epoch(page, &epochs->list.items[i]);
	style_heading(page->style, page->out, "From the first version to the last");
}

static void put_same(struct page *page)
{
	size_t same = page->changes->same_findings;
	const char *findings = "no findings on either side";

	if (same)
		findings = arena_printf(page->arena, "the same %zu finding%s", same,
					same == 1 ? "" : "s");
	buf_char(page->out, '\n');
	put_paragraph(page,
		      arena_printf(page->arena,
				   "No difference: the same settings, the same plan, %s.",
				   findings),
		      0);
}

void diff_text(const struct diff *diff, const struct style *style, struct buf *out)
{
	struct page page = { .diff = diff,
			     .changes = &diff->changes,
			     .arena = diff->arena,
			     .style = style,
			     .out = out };
	int kind;

	put_sides(&page);
	put_epochs(&page);
	for (kind = 0; kind < CHANGE_KINDS; kind++)
		put_section(&page, (enum change_kind)kind);
	if (!changes_any(page.changes))
		put_same(&page);
	put_limits(&page);
}
