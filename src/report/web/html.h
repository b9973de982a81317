#ifndef REPORT_WEB_HTML_H
#define REPORT_WEB_HTML_H

#include "base/buf.h"

#include <stdbool.h>

/*
 * HTML out, well-formed as XML, too. Everything that may come from a config passes through
 * html_text and html_attribute, which escape it: markup, control characters, broken UTF-8, and
 * characters that turn the direction of text around. Bad nesting, attributes that run scripts or
 * load something, and attributes behind the start tag are bugs.
 */
enum { HTML_DEPTH = 32 };

struct html {
	struct buf *out;
	const char *open[HTML_DEPTH]; /* elements that are not closed, outermost first */
	int depth;
	bool tag; /* the start tag of the innermost still takes attributes */
};

void html_begin(struct html *html, struct buf *out);

/* The start tag of an element: attributes come next, then its content. */
void html_open(struct html *html, const char *name);
void html_attribute(struct html *html, const char *name, const char *value);
void html_attribute_printf(struct html *html, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Ends the innermost element, which has that name; one without content gets no end tag. */
void html_close(struct html *html, const char *name);

/* Content, escaped. Line breaks and tabs stay. */
void html_text(struct html *html, const char *text);
void html_bytes(struct html *html, const char *text, size_t length);
void html_printf(struct html *html, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An element with text alone; `class` may be NULL. */
void html_element(struct html *html, const char *name, const char *class, const char *text);

/* Markup, style or script of our own, as it is: never what a config says. */
void html_verbatim(struct html *html, const char *markup);

#endif
