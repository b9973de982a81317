#include "report/web/web.h"

#include "base/preset.h"
#include "base/sha256.h"
#include "draw/device.h"

#include <inttypes.h>
#include <string.h>

/* The colours of the figures, for the page round them. */
static void put_colors(struct buf *out, const struct palette *palette)
{
	buf_printf(out, ":root{--paper:#%06x;--ink:#%06x;--quiet:#%06x;--line:#%06x;",
		   palette->background, palette->text, palette->quiet, palette->line);
	buf_printf(out, "--field:#%06x;--alert:#%06x;--alert-field:#%06x}", palette->node,
		   palette->alert, palette->alert_tint);
}

static void style(struct buf *out)
{
	const struct palette light = palette_light(), dark = palette_dark();

	put_colors(out, &light);
	buf_text(out, "\n@media (prefers-color-scheme:dark){");
	put_colors(out, &dark);
	buf_text(out, "}\n");
	buf_text(out, preset_text("report/page.css"));
	svg_rules(out);
}

/* Nothing is loaded, and no style or script runs but the two of this page. */
static void put_policy(struct html *html, const struct buf *css, const char *script)
{
	char style_hash[SHA256_BASE64], script_hash[SHA256_BASE64];

	sha256_base64(css->data, css->length, style_hash);
	sha256_base64(script, strlen(script), script_hash);
	html_open(html, "meta");
	html_attribute(html, "http-equiv", "Content-Security-Policy");
	html_attribute_printf(html, "content",
			      "default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; "
			      "base-uri 'none'; form-action 'none'",
			      style_hash, script_hash);
	html_close(html, "meta");
	html_verbatim(html, "\n");
}

static void put_meta(struct html *html, const char *name, const char *content)
{
	html_open(html, "meta");
	html_attribute(html, "name", name);
	html_attribute(html, "content", content);
	html_close(html, "meta");
	html_verbatim(html, "\n");
}

static const char *title_of(const struct web *web)
{
	if (web->incident)
		return arena_printf(web->arena, "parplan: what happened in %s", web->incident);
	if (web->entries.count == 1)
		return arena_printf(web->arena, "parplan: %s", web->entries.items[0].path);
	return arena_printf(web->arena, "parplan: %zu configs", web->entries.count);
}

static void put_head(struct html *html, const struct web *web)
{
	const char *script = preset_text("report/page.js");
	struct buf css;

	buf_init(&css);
	style(&css);
	html_open(html, "head");
	html_verbatim(html, "\n<meta charset=\"utf-8\"/>\n");
	put_policy(html, &css, script);
	put_meta(html, "viewport", "width=device-width, initial-scale=1");
	put_meta(html, "color-scheme", "light dark");
	put_meta(html, "referrer", "no-referrer");
	html_element(html, "title", NULL, title_of(web));
	html_verbatim(html, "\n<style>");
	html_verbatim(html, css.data);
	html_verbatim(html, "</style>\n<script>");
	html_verbatim(html, script);
	html_verbatim(html, "</script>\n");
	html_close(html, "head");
	html_verbatim(html, "\n");
	buf_release(&css);
}

/* ---- the index of several files ---- */

static void put_entry(struct html *html, const struct web *web, size_t index)
{
	const struct web_entry *entry = &web->entries.items[index];

	html_open(html, "tr");
	html_open(html, "th");
	html_attribute(html, "scope", "row");
	html_open(html, "a");
	html_attribute_printf(html, "href", "#f%zu", index + 1);
	html_text(html, entry->path);
	html_close(html, "a");
	html_close(html, "th");
	html_element(html, "td", entry->totals.errors ? "error" : NULL, entry->found);
	html_element(html, "td", "number",
		     entry->world ? arena_printf(web->arena, "%" PRId64, entry->world) : "");
	html_element(html, "td", NULL, entry->strategy);
	html_element(html, "td", "number", entry->step);
	html_element(html, "td", "number", entry->bytes);
	html_element(html, "td", NULL, entry->verdict);
	html_close(html, "tr");
	html_verbatim(html, "\n");
}

static void put_index(struct html *html, const struct web *web)
{
	static const struct web_column columns[] = {
		{ "config", false },	    { "findings", false }, { "ranks", true },
		{ "data parallel", false }, { "step", true },	   { "memory per GPU", true },
		{ "fits", false },
	};
	struct sheet sheet = { .html = *html, .arena = web->arena };
	size_t i;

	if (web->entries.count < 2)
		return;
	html_open(&sheet.html, "nav");
	html_attribute(&sheet.html, "aria-label", "Configs");
	sheet_table(&sheet, "index", "Configs", columns, sizeof(columns) / sizeof(*columns),
		    web->entries.count > 8 ? "configs" : NULL);
	for (i = 0; i < web->entries.count; i++)
		put_entry(&sheet.html, web, i);
	sheet_table_end(&sheet);
	html_close(&sheet.html, "nav");
	*html = sheet.html;
}

static void put_body(struct html *html, const struct web *web)
{
	const char *passed_over =
		passed_over_text(web->arena, &web->passed_over, "file", "the project's settings");

	html_open(html, "body");
	html_verbatim(html, "\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
	html_open(html, "header");
	html_element(html, "h1", NULL,
		     web->incident	       ? "What happened to this job"
		     : web->entries.count == 1 ? "What this config will do"
					       : "What these configs will do");
	put_index(html, web);
	if (*passed_over)
		html_element(html, "p", "assumed", passed_over);
	html_close(html, "header");
	html_verbatim(html, "\n<main id=\"content\" tabindex=\"-1\">\n");
	html_verbatim(html, web->body->data); /* written through the same writer */
	html_verbatim(html, "</main>\n");
	html_open(html, "footer");
	html_printf(html,
		    "Made by parplan %s. Forecasts say how far off they may be; findings say how "
		    "they are known in ",
		    web->version);
	html_element(html, "code", NULL, "parplan explain RULE");
	html_text(html, ".");
	html_close(html, "footer");
	html_close(html, "body");
}

void web_page(const struct web *web, struct buf *out)
{
	struct html html;

	html_begin(&html, out);
	html_verbatim(&html, "<!DOCTYPE html>\n");
	html_open(&html, "html");
	html_attribute(&html, "xmlns", "http://www.w3.org/1999/xhtml");
	html_attribute(&html, "lang", "en");
	html_verbatim(&html, "\n");
	put_head(&html, web);
	put_body(&html, web);
	html_close(&html, "html");
	html_verbatim(&html, "\n");
}
