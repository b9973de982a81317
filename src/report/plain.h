#ifndef REPORT_PLAIN_H
#define REPORT_PLAIN_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>

/*
 * Text for formats that other programs read: well-formed UTF-8 without control characters, each of
 * which becomes U+FFFD. Line breaks stay.
 */
const char *plain_text(struct arena *arena, const char *text);

/* The same on one line: blanks, tabs and line breaks become one blank. */
const char *plain_line(struct arena *arena, const char *text);

/* What stands for a character of markup, in XML and in HTML; NULL: it stands for itself. */
const char *plain_entity(char c);

/*
 * Writes plain text with characters replaced: `written_as` says by what, and NULL of one that
 * stands for itself. It answers for line breaks and tabs that are to stay, which are no plain text
 * here.
 */
void plain_escape(struct buf *out, const char *text, const char *(*written_as)(char c));

/*
 * Plain text as XML. In an attribute line breaks and tabs are written as references, which the
 * reader would otherwise turn into blanks.
 */
void plain_xml(struct buf *out, const char *text, bool attribute);

#endif
