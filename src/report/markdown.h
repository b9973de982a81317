#ifndef REPORT_MARKDOWN_H
#define REPORT_MARKDOWN_H

#include "base/buf.h"

/* The Markdown that GitHub and GitLab show in the comment of a pull request. */

/*
 * Text, also of a table cell: what is read as markup is escaped, and a line break becomes a blank.
 * "#667" would be an issue of the repository that the comment stands in and "@name" a person, so a
 * space of no width keeps them apart.
 */
void markdown_text(struct buf *out, const char *text);

/* A code span, also in a table cell: bars are escaped even there; backticks widen the fence. */
void markdown_code(struct buf *out, const char *text);

/* A blank line and the head of a table of `count` columns. */
void markdown_table(struct buf *out, const char *const *heads, int count);

/* The longest run of backticks in a text: a fence around it needs one more. */
size_t markdown_ticks(const char *text);

#endif
