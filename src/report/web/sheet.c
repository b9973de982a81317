#include "report/web/web.h"

#include "base/text.h"
#include "cost/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void sheet_part(struct sheet *sheet, const char *id, const char *heading)
{
	struct html *html = &sheet->html;

	html_open(html, "section");
	html_attribute(html, "class", "part");
	html_attribute_printf(html, "aria-labelledby", "f%d-%s", sheet->number, id);
	html_open(html, "h3");
	html_attribute_printf(html, "id", "f%d-%s", sheet->number, id);
	html_text(html, heading);
	html_close(html, "h3");
}

void sheet_end(struct sheet *sheet)
{
	html_close(&sheet->html, "section");
	html_verbatim(&sheet->html, "\n");
}

/* ---- tables ---- */

void sheet_field(struct sheet *sheet, const char *class, const char *id, const char *label)
{
	struct html *html = &sheet->html;

	html_open(html, "p");
	html_attribute(html, "class", class);
	html_attribute_printf(html, "data-table", "f%d-%s", sheet->number, id);
	html_open(html, "label");
	html_printf(html, "%s ", label);
	html_open(html, "input");
}

void sheet_field_end(struct sheet *sheet)
{
	struct html *html = &sheet->html;

	html_close(html, "input");
	html_close(html, "label");
	html_open(html, "output");
	html_attribute(html, "aria-live", "polite");
	html_close(html, "output");
	html_close(html, "p");
}

/* The field that searches a table. */
static void put_search(struct sheet *sheet, const char *id, const char *filter)
{
	struct html *html = &sheet->html;

	sheet_field(sheet, "search", id, arena_join(sheet->arena, "Filter ", filter, ""));
	html_attribute(html, "type", "search");
	html_attribute(html, "spellcheck", "false");
	html_attribute(html, "autocomplete", "off");
	sheet_field_end(sheet);
}

static void put_heads(struct html *html, const struct web_column *columns, size_t count)
{
	size_t i;

	html_open(html, "thead");
	html_open(html, "tr");
	for (i = 0; i < count; i++) {
		html_open(html, "th");
		html_attribute(html, "scope", "col");
		if (columns[i].number)
			html_attribute(html, "class", "number");
		html_text(html, columns[i].head);
		html_close(html, "th");
	}
	html_close(html, "tr");
	html_close(html, "thead");
}

void sheet_table(struct sheet *sheet, const char *id, const char *caption,
		 const struct web_column *columns, size_t count, const char *filter)
{
	struct html *html = &sheet->html;

	if (filter)
		put_search(sheet, id, filter);
	html_open(html, "div");
	html_attribute(html, "class", "wide");
	html_attribute(html, "role", "group");
	html_attribute(html, "tabindex", "0");
	html_attribute_printf(html, "aria-labelledby", "f%d-%s-caption", sheet->number, id);
	html_open(html, "table");
	html_attribute_printf(html, "id", "f%d-%s", sheet->number, id);
	html_open(html, "caption");
	html_attribute_printf(html, "id", "f%d-%s-caption", sheet->number, id);
	html_text(html, caption);
	html_close(html, "caption");
	put_heads(html, columns, count);
	html_open(html, "tbody");
	html_verbatim(html, "\n");
}

void sheet_table_end(struct sheet *sheet)
{
	html_close(&sheet->html, "tbody");
	html_close(&sheet->html, "table");
	html_close(&sheet->html, "div");
	html_verbatim(&sheet->html, "\n");
}

void sheet_row(struct sheet *sheet, const char *name)
{
	html_open(&sheet->html, "tr");
	sheet_row_name(sheet, name);
}

void sheet_row_name(struct sheet *sheet, const char *name)
{
	html_open(&sheet->html, "th");
	html_attribute(&sheet->html, "scope", "row");
	html_text(&sheet->html, name);
	html_close(&sheet->html, "th");
}

void sheet_cell(struct sheet *sheet, const char *text)
{
	html_element(&sheet->html, "td", NULL, text);
}

void sheet_number(struct sheet *sheet, const char *text)
{
	html_element(&sheet->html, "td", "number", text);
}

void sheet_row_end(struct sheet *sheet)
{
	html_close(&sheet->html, "tr");
	html_verbatim(&sheet->html, "\n");
}

void sheet_term(struct sheet *sheet, const char *term, const char *text)
{
	if (!text)
		return;
	html_open(&sheet->html, "div");
	html_element(&sheet->html, "dt", NULL, term);
	html_element(&sheet->html, "dd", NULL, text);
	html_close(&sheet->html, "div");
}

/* ---- coloured text ---- */

/* The escapes of style_put without ESC and '[', and the classes of what follows them. */
static const struct {
	const char *escape, *class;
} colors[] = {
	{ "0m", NULL },		{ "1m", "strong-text" }, { "2m", "dim" },  { "1;36m", "note" },
	{ "1;33m", "warning" }, { "1;31m", "error" },	 { "32m", "fix" },
};

enum { COLORS = sizeof(colors) / sizeof(*colors) };

/* Which escape begins at `text`; COLORS: none. */
static size_t color_at(const char *text)
{
	size_t i;

	for (i = 0; text[0] == '\033' && text[1] == '[' && i < COLORS; i++)
		if (text_starts(text + 2, colors[i].escape))
			return i;
	return COLORS;
}

/* Text up to the next escape; an ESC that is none of ours is text. */
static size_t plain_length(const char *text)
{
	size_t length = strcspn(text, "\033");

	while (text[length] && color_at(text + length) == COLORS)
		length += 1 + strcspn(text + length + 1, "\033");
	return length;
}

static void put_colored(struct html *html, const char *text)
{
	bool open = false;
	size_t length, color;

	for (;; text += 2 + strlen(colors[color].escape)) {
		length = plain_length(text);
		html_bytes(html, text, length);
		text += length;
		if (!*text)
			break;
		color = color_at(text);
		if (open)
			html_close(html, "span");
		open = colors[color].class != NULL;
		if (open) {
			html_open(html, "span");
			html_attribute(html, "class", colors[color].class);
		}
	}
	if (open)
		html_close(html, "span");
}

void sheet_excerpt(struct sheet *sheet, const char *label, const char *text)
{
	if (!*text)
		return;
	html_open(&sheet->html, "pre");
	html_attribute(&sheet->html, "role", "group");
	html_attribute(&sheet->html, "tabindex", "0");
	html_attribute(&sheet->html, "aria-label", label);
	put_colored(&sheet->html, text);
	html_close(&sheet->html, "pre");
	html_verbatim(&sheet->html, "\n");
}

/* ---- numbers ---- */

char *web_seconds(struct arena *arena, double seconds)
{
	if (seconds < 1e-3)
		return arena_printf(arena, "%.3g µs", seconds * 1e6);
	if (seconds < 1)
		return arena_printf(arena, "%.3g ms", seconds * 1e3);
	return arena_printf(arena, "%.4g s", seconds);
}

char *web_bytes(struct arena *arena, double bytes)
{
	return arena_printf(arena, "%.2f GiB", bytes / GIB);
}

char *web_share(struct arena *arena, double bytes, double capacity)
{
	return arena_printf(arena, "%.1f of %.1f GiB", bytes / GIB, capacity / GIB);
}
