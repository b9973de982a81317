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

/*
 * Plain text as XML. In an attribute line breaks and tabs are written as references, which the
 * reader would otherwise turn into blanks.
 */
void plain_xml(struct buf *out, const char *text, bool attribute);

#endif
