#include "report/markdown.h"

#include <ctype.h>
#include <string.h>

void markdown_text(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("|*_`<>[]\\~", *text))
			buf_printf(out, "\\%c", *text);
		else if (*text == '&')
			buf_text(out, "&amp;");
		else
			buf_char(out, *text == '\n' || *text == '\r' ? ' ' : *text);
		if ((*text == '#' || *text == '@') && isalnum((unsigned char)text[1]))
			buf_text(out, "&#8203;");
	}
}

void markdown_code(struct buf *out, const char *text)
{
	const char *fence = strchr(text, '`') ? "``" : "`", *pad = fence[1] ? " " : "";

	buf_printf(out, "%s%s", fence, pad);
	for (; *text; text++) {
		if (*text == '|')
			buf_text(out, "\\|");
		else
			buf_char(out, *text == '\n' || *text == '\r' ? ' ' : *text);
	}
	buf_printf(out, "%s%s", pad, fence);
}

void markdown_table(struct buf *out, const char *const *heads, int count)
{
	int i;

	buf_char(out, '\n');
	for (i = 0; i < count; i++)
		buf_printf(out, "| %s ", heads[i]);
	buf_text(out, "|\n");
	for (i = 0; i < count; i++)
		buf_text(out, "|---");
	buf_text(out, "|\n");
}
