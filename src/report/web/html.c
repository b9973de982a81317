#include "report/web/html.h"

#include "base/die.h"
#include "base/text.h"
#include "report/plain.h"

#include <string.h>

static const char *written_as(char c)
{
	switch (c) {
	case '\'':
		return "&#39;";
	case '\n':
		return "\n";
	case '\t':
		return "\t";
	default:
		return plain_entity(c);
	}
}

/* Elements that never have content. */
static bool is_void(const char *name)
{
	static const char *const names[] = { "meta", "input", "br", "hr" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static void end_tag(struct html *html)
{
	if (html->tag)
		buf_char(html->out, '>');
	html->tag = false;
}

void html_begin(struct html *html, struct buf *out)
{
	memset(html, 0, sizeof(*html));
	html->out = out;
}

void html_open(struct html *html, const char *name)
{
	end_tag(html);
	if (html->depth == HTML_DEPTH || (html->depth && is_void(html->open[html->depth - 1])))
		bug("<%s> cannot stand there", name);
	buf_printf(html->out, "<%s", name);
	html->open[html->depth++] = name;
	html->tag = true;
}

/* Handlers and inline styles are never needed; links lead to places of the page. */
static bool is_harmless(const char *name, const char *value)
{
	if (text_starts(name, "on") || !strcmp(name, "style") || !strcmp(name, "src"))
		return false;
	return strcmp(name, "href") != 0 || *value == '#';
}

void html_attribute(struct html *html, const char *name, const char *value)
{
	if (!html->tag || !is_harmless(name, value))
		bug("attribute %s=\"%s\" cannot stand there", name, value);
	buf_printf(html->out, " %s=\"", name);
	plain_escape(html->out, value, written_as);
	buf_char(html->out, '"');
}

void html_attribute_printf(struct html *html, const char *name, const char *format, ...)
{
	struct buf text;
	va_list args;

	buf_init(&text);
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	html_attribute(html, name, text.data);
	buf_release(&text);
}

void html_close(struct html *html, const char *name)
{
	if (!html->depth || strcmp(html->open[html->depth - 1], name) != 0)
		bug("</%s> closes <%s>", name, html->depth ? html->open[html->depth - 1] : "");
	html->depth--;
	if (is_void(name)) {
		buf_text(html->out, "/>");
		html->tag = false;
		return;
	}
	end_tag(html);
	buf_printf(html->out, "</%s>", name);
}

void html_text(struct html *html, const char *text)
{
	end_tag(html);
	plain_escape(html->out, text, written_as);
}

void html_bytes(struct html *html, const char *text, size_t length)
{
	struct buf copy;

	buf_init(&copy);
	buf_bytes(&copy, text, length);
	html_text(html, copy.data);
	buf_release(&copy);
}

void html_printf(struct html *html, const char *format, ...)
{
	struct buf text;
	va_list args;

	buf_init(&text);
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	html_text(html, text.data);
	buf_release(&text);
}

void html_element(struct html *html, const char *name, const char *class, const char *text)
{
	html_open(html, name);
	if (class)
		html_attribute(html, "class", class);
	html_text(html, text);
	html_close(html, name);
}

void html_verbatim(struct html *html, const char *markup)
{
	end_tag(html);
	buf_text(html->out, markup);
}
