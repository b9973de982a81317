#include "report/findings/digest.h"

#include "report/findings/excerpt.h"
#include "report/findings/headline.h"
#include "report/markdown.h"
#include "report/findings/remarks.h"

#include <string.h>

/* Bytes of the table and of what follows it; excerpts are cut at so many columns. */
enum {
	ROW_BYTES = 20000,
	DETAIL_BYTES = 36000,
	EXCERPT_COLUMNS = 100,
	SEVERITIES = 3,
	JUDGED_FILES = 20
};

/* One finding, written. */
struct entry {
	const char *row, *details;
	size_t row_bytes, detail_bytes;
};

/* Findings of one severity; those beyond what can be shown are only counted. */
struct shelf {
	VEC(struct entry) list;
	size_t bytes, count;
};

struct digest {
	const struct report *report;
	VEC(const char *)
	judged; /* "`train.yaml`: partly judged: ...", of files not judged in full */
	struct shelf shelves[SEVERITIES];
};

struct digest *digest_new(const struct report *report)
{
	struct digest *digest = arena_new(report->arena, struct digest);

	digest->report = report;
	return digest;
}

static void put_place(const struct spot *place, struct arena *arena, struct buf *out)
{
	struct buf text;

	buf_init(&text);
	headline_place(place, &text);
	markdown_code(out, plain_line(arena, text.data));
	buf_release(&text);
}

static void put_row(const struct spot *place, struct arena *arena, const struct finding *finding,
		    struct buf *out)
{
	buf_printf(out, "| %s | ", severity_name(finding->severity));
	put_place(place, arena, out);
	buf_text(out, " | ");
	markdown_text(out, plain_line(arena, spot_message(arena, place, finding)));
	buf_printf(out, " | `%s` |\n", finding->rule->name);
}

/* The source lines, marked, and what the edits make of them, between fences. */
static void put_excerpt(struct arena *arena, const struct finding *finding, struct buf *out)
{
	const struct style style = { false, EXCERPT_COLUMNS };
	struct buf text, edits;
	size_t fence;

	buf_init(&text);
	buf_init(&edits);
	excerpt_write(arena, finding, &style, &text);
	excerpt_edits(arena, finding, &style, &edits);
	buf_printf(&text, "%s%s", edits.length ? "\n" : "", edits.data);
	fence = markdown_ticks(text.data);
	fence = fence < 3 ? 3 : fence + 1;
	if (text.length) {
		buf_repeat(out, '`', fence);
		buf_printf(out, "text\n%s", text.data);
		buf_repeat(out, '`', fence);
		buf_text(out, "\n\n");
	}
	buf_release(&edits);
	buf_release(&text);
}

/* A list item; its line breaks are kept as such. */
static void put_remark(struct arena *arena, const struct remark *remark, struct buf *out)
{
	const char *line = remark->text;
	size_t length;

	buf_printf(out, "* %s: ", remark->label);
	for (;;) {
		length = strcspn(line, "\n");
		markdown_text(out, plain_line(arena, arena_strndup(arena, line, length)));
		if (!line[length])
			break;
		buf_text(out, "<br>");
		line += length + 1;
	}
	buf_char(out, '\n');
}

static void put_details(const struct spot *place, struct arena *arena,
			const struct finding *finding, struct buf *out)
{
	struct remark remarks[REMARKS];
	size_t i, count = remarks_of(arena, finding, remarks);

	buf_printf(out, "**%s** at ", finding->rule->name);
	put_place(place, arena, out);
	buf_text(out, ": ");
	markdown_text(out, plain_line(arena, spot_message(arena, place, finding)));
	buf_text(out, "\n\n");
	put_excerpt(arena, finding, out);
	for (i = 0; i < count; i++)
		put_remark(arena, &remarks[i], out);
	buf_char(out, '\n');
}

static void shelve(struct digest *digest, struct shelf *shelf, const struct checked *file,
		   const struct finding *finding)
{
	const struct spot place = spot_of(file, finding->span);
	struct arena *keep = digest->report->arena, *arena = file->job->arena;
	struct entry entry;
	struct buf text;

	buf_init(&text);
	put_row(&place, arena, finding, &text);
	entry.row = arena_strndup(keep, text.data, text.length);
	entry.row_bytes = text.length;
	buf_clear(&text);
	put_details(&place, arena, finding, &text);
	entry.details = arena_strndup(keep, text.data, text.length);
	entry.detail_bytes = text.length;
	buf_release(&text);
	shelf->bytes += entry.row_bytes + entry.detail_bytes;
	vec_push(keep, &shelf->list, entry);
}

static void add_judged(struct digest *digest, const struct checked *file)
{
	const struct spot place = spot_of(file, (struct span) { 0 });
	struct arena *arena = file->job->arena;
	const char *remark = judged_remark(file);
	struct buf text;

	if (!*remark)
		return;
	buf_init(&text);
	put_place(&place, arena, &text);
	buf_text(&text, ": ");
	markdown_text(&text, plain_line(arena, remark));
	vec_push(digest->report->arena, &digest->judged,
		 arena_strdup(digest->report->arena, text.data));
	buf_release(&text);
}

void digest_add(struct digest *digest, const struct checked *file)
{
	size_t i;

	if (digest->judged.count < JUDGED_FILES)
		add_judged(digest, file);
	for (i = 0; i < file->findings->list.count; i++) {
		const struct finding *finding = file->findings->list.items[i];
		struct shelf *shelf = &digest->shelves[finding->severity];
		shelf->count++;
		if (shelf->bytes < ROW_BYTES + DETAIL_BYTES)
			shelve(digest, shelf, file, finding);
	}
}

/* Writes rows, or details, the worst first, while they fit; returns how many. */
static size_t put_entries(const struct digest *digest, bool details, struct buf *out)
{
	size_t room = details ? DETAIL_BYTES : ROW_BYTES, i, count = 0;
	int severity;

	for (severity = SEVERITIES - 1; severity >= 0; severity--) {
		const struct shelf *shelf = &digest->shelves[severity];
		for (i = 0; i < shelf->list.count; i++) {
			const struct entry *entry = &shelf->list.items[i];
			size_t bytes = details ? entry->detail_bytes : entry->row_bytes;
			if (bytes > room)
				return count;
			buf_text(out, details ? entry->details : entry->row);
			room -= bytes;
			count++;
		}
	}
	return count;
}

static size_t total(const struct digest *digest)
{
	size_t count = 0;
	int i;

	for (i = 0; i < SEVERITIES; i++)
		count += digest->shelves[i].count;
	return count;
}

static void put_findings(const struct digest *digest, struct buf *out)
{
	static const char *const heads[] = { "", "where", "what", "rule" };
	size_t count = total(digest), shown;

	markdown_table(out, heads, sizeof(heads) / sizeof(*heads));
	shown = put_entries(digest, false, out);
	if (shown < count)
		buf_printf(out, "\n%zu more do not fit here.\n", count - shown);
	buf_text(out, "\n<details><summary>Why, and ways out</summary>\n\n");
	shown = put_entries(digest, true, out);
	if (shown < count)
		buf_printf(out, "%zu more do not fit here.\n\n", count - shown);
	buf_text(out, "</details>\n");
}

void digest_write(const struct digest *digest, struct buf *out)
{
	const struct report *report = digest->report;
	struct buf summary;
	size_t i;

	buf_init(&summary);
	report_summary(report, &summary);
	buf_text(out, "### parplan: ");
	markdown_text(out, summary.data);
	buf_char(out, '\n');
	buf_release(&summary);
	for (i = 0; i < report->unread.count; i++) {
		buf_text(out, "\n* ");
		markdown_text(out, plain_line(report->arena, report->unread.items[i].error));
		buf_char(out, '\n');
	}
	for (i = 0; report->done > 1 && i < digest->judged.count; i++)
		buf_printf(out, "%s* %s\n", i ? "" : "\n", digest->judged.items[i]);
	if (total(digest))
		put_findings(digest, out);
}
