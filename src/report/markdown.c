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

size_t markdown_ticks(const char *text)
{
	size_t longest = 0;

	while (*(text += strcspn(text, "`"))) {
		size_t run = strspn(text, "`");
		longest = run > longest ? run : longest;
		text += run;
	}
	return longest;
}

void markdown_code(struct buf *out, const char *text)
{
	const size_t ticks = markdown_ticks(text);
	const char *pad = ticks ? " " : "";

	buf_repeat(out, '`', ticks + 1);
	buf_text(out, pad);
	for (; *text; text++) {
		if (*text == '|')
			buf_text(out, "\\|");
		else
			buf_char(out, *text == '\n' || *text == '\r' ? ' ' : *text);
	}
	buf_text(out, pad);
	buf_repeat(out, '`', ticks + 1);
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
