#include "report/findings/excerpt.h"
#include "report/findings/remarks.h"
#include "report/web/web.h"

/* Columns of an excerpt, as on a wide terminal. */
enum { COLUMNS = 96 };

static const struct style style = { true, COLUMNS };

/* "train.yaml:8:17", or the file alone. */
static const char *place_of(struct sheet *sheet, struct span span)
{
	if (!span_known(span))
		return sheet->file->path;
	return arena_printf(sheet->arena, "%s:%u:%u", span.source->path, (unsigned int)span.line,
			    (unsigned int)span.column);
}

static void put_source(struct sheet *sheet, const struct finding *finding)
{
	struct buf text;

	buf_init(&text);
	excerpt_write(sheet->arena, finding, &style, &text);
	sheet_excerpt(sheet, "The lines it is about", text.data);
	buf_release(&text);
}

static void put_edits(struct sheet *sheet, const struct finding *finding)
{
	struct buf text;

	buf_init(&text);
	excerpt_edits(sheet->arena, finding, &style, &text);
	sheet_excerpt(sheet, "The lines before and after the fix", text.data);
	buf_release(&text);
}

static void put_remarks(struct sheet *sheet, const struct finding *finding)
{
	struct remark remarks[REMARKS];
	size_t i, count = remarks_of(sheet->arena, finding, remarks);

	html_open(&sheet->html, "dl");
	html_attribute(&sheet->html, "class", "remarks");
	for (i = 0; i < finding->related.count; i++)
		sheet_term(sheet, "see",
			   remark_elsewhere(sheet->arena, finding, &finding->related.items[i]));
	for (i = 0; i < count; i++)
		sheet_term(sheet, remarks[i].label, remarks[i].text);
	html_close(&sheet->html, "dl");
}

static void put_head(struct sheet *sheet, const struct finding *finding, size_t index)
{
	struct html *html = &sheet->html;
	const char *severity = severity_name(finding->severity);

	html_open(html, "h4");
	html_attribute_printf(html, "id", "f%d-finding-%zu", sheet->number, index + 1);
	html_element(html, "span", arena_printf(sheet->arena, "badge %s", severity), severity);
	html_printf(html, " %s", finding->message);
	html_close(html, "h4");
	html_open(html, "p");
	html_attribute(html, "class", "place");
	html_element(html, "code", NULL, place_of(sheet, finding->span));
	html_text(html, " ");
	html_element(html, "code", "rule-name", finding->rule->name);
	html_close(html, "p");
}

static void put_finding(struct sheet *sheet, const struct finding *finding, size_t index)
{
	struct html *html = &sheet->html;

	html_open(html, "article");
	html_attribute_printf(html, "class", "finding of-%s", severity_name(finding->severity));
	html_attribute_printf(html, "aria-labelledby", "f%d-finding-%zu", sheet->number, index + 1);
	put_head(sheet, finding, index);
	put_source(sheet, finding);
	put_remarks(sheet, finding);
	put_edits(sheet, finding);
	html_close(html, "article");
}

/* Rules that could not be judged, each with what it lacks. */
static void put_skips(struct sheet *sheet)
{
	const struct skips *skips = &sheet->file->skips;
	struct html *html = &sheet->html;
	size_t i;

	if (!skips->list.count)
		return;
	html_open(html, "details");
	html_open(html, "summary");
	html_printf(html, "%zu %s could not be judged", skips->list.count,
		    skips->list.count == 1 ? "rule" : "rules");
	html_close(html, "summary");
	html_open(html, "ul");
	for (i = 0; i < skips->list.count; i++) {
		html_open(html, "li");
		html_element(html, "code", NULL, skips->list.items[i].rule->id->name);
		html_printf(html, " needs %s", skips->list.items[i].needs);
		html_close(html, "li");
	}
	html_close(html, "ul");
	html_close(html, "details");
}

void web_findings(struct sheet *sheet)
{
	const struct findings *findings = sheet->file->findings;
	size_t i;

	sheet_part(sheet, "findings", "Findings");
	if (!findings->list.count)
		html_element(&sheet->html, "p", NULL, "Nothing was found.");
	for (i = 0; i < findings->list.count; i++)
		put_finding(sheet, findings->list.items[i], i);
	put_skips(sheet);
	sheet_end(sheet);
}
