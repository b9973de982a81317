#ifndef REPORT_FINDINGS_EXCERPT_H
#define REPORT_FINDINGS_EXCERPT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/finding.h"

#include <stdbool.h>

/* How text output looks. */
struct style {
	bool color;
	int columns; /* of the terminal; STYLE_UNWRAPPED */
};

/*
 * Width of what no terminal shows: one message is one line, so that grep finds it. Source lines are
 * cut at STYLE_EXCERPT all the same.
 */
enum { STYLE_UNWRAPPED = 1 << 20, STYLE_EXCERPT = 160 };

enum { COLOR_PLAIN, COLOR_BOLD, COLOR_DIM, COLOR_NOTE, COLOR_WARNING, COLOR_ERROR, COLOR_FIX };

/* Writes the escape that starts a colour, or ends all of them (COLOR_PLAIN); nothing without
 * colour. */
void style_put(const struct style *style, struct buf *out, int color);

/* Writes a blank line and a heading on a line of its own. */
void style_heading(const struct style *style, struct buf *out, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The colour of a severity. */
int style_severity(enum severity severity);

/*
 * Writes text broken between words so that lines end before `columns`. The first line is
 * already `used` columns long; the others begin with `indent` blanks. Line breaks in the
 * text stay. Writes no line break at the end.
 */
void wrap_text(struct buf *out, const char *text, int used, int indent, int columns);

/* Columns of a text on a terminal: wide characters count 2, combining ones 0. */
int display_width(const char *text, size_t length);

/*
 * Writes the source lines of a finding, marked: ^^^ under its own span, --- under related
 * spans of the same source with their messages. Tabs are expanded, long lines cut around the
 * mark, control characters replaced. Writes nothing when the finding has no place.
 */
void excerpt_write(struct arena *arena, const struct finding *finding, const struct style *style,
		   struct buf *out);

/*
 * Writes the lines that the finding's edits change, before and after, as in a diff.
 * Only edits within one line of the finding's own source are shown.
 */
void excerpt_edits(struct arena *arena, const struct finding *finding, const struct style *style,
		   struct buf *out);

/* Width of the line numbers of a finding's excerpt; 1 when it has none. */
int excerpt_gutter(const struct finding *finding);

#endif
