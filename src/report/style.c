#include "report/findings/excerpt.h"

#include <stdarg.h>
#include <string.h>

void style_put(const struct style *style, struct buf *out, int color)
{
	static const char *const escapes[] = {
		[COLOR_PLAIN] = "\033[0m",	[COLOR_BOLD] = "\033[1m",
		[COLOR_DIM] = "\033[2m",	[COLOR_NOTE] = "\033[1;36m",
		[COLOR_WARNING] = "\033[1;33m", [COLOR_ERROR] = "\033[1;31m",
		[COLOR_FIX] = "\033[32m",
	};

	if (style->color)
		buf_text(out, escapes[color]);
}

void style_heading(const struct style *style, struct buf *out, const char *format, ...)
{
	va_list args;

	buf_char(out, '\n');
	style_put(style, out, COLOR_BOLD);
	va_start(args, format);
	buf_vprintf(out, format, args);
	va_end(args);
	style_put(style, out, COLOR_PLAIN);
	buf_char(out, '\n');
}

int style_severity(enum severity severity)
{
	switch (severity) {
	case SEVERITY_NOTE:
		return COLOR_NOTE;
	case SEVERITY_WARNING:
		return COLOR_WARNING;
	case SEVERITY_ERROR:
		break;
	}
	return COLOR_ERROR;
}

/* The code point at `text`, its length in *length; 0xFFFD for a byte that starts none. */
static uint32_t decode(const char *text, size_t left, size_t *length)
{
	static const unsigned char lead[] = { 0, 0xC0, 0xE0, 0xF0 };
	const unsigned char *byte = (const unsigned char *)text;
	size_t i, more = byte[0] < 0x80	  ? 0
			 : byte[0] < 0xC2 ? 9
			 : byte[0] < 0xE0 ? 1
			 : byte[0] < 0xF0 ? 2
			 : byte[0] < 0xF5 ? 3
					  : 9;
	uint32_t point;

	*length = 1;
	if (more == 9 || more >= left)
		return more ? 0xFFFD : byte[0];
	point = (uint32_t)(byte[0] - lead[more]);
	for (i = 1; i <= more; i++) {
		if ((byte[i] & 0xC0) != 0x80)
			return 0xFFFD;
		point = point << 6 | (byte[i] & 0x3F);
	}
	*length = more + 1;
	return point;
}

struct range {
	uint32_t first, last;
};

static bool within(uint32_t point, const struct range *ranges, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (point >= ranges[i].first && point <= ranges[i].last)
			return true;
	return false;
}

/* Unicode 15: combining marks that configs may hold, and East Asian wide characters and emoji. */
static int point_width(uint32_t point)
{
	static const struct range none[] = {
		{ 0x0300, 0x036F }, { 0x0483, 0x0489 }, { 0x0591, 0x05BD }, { 0x0610, 0x061A },
		{ 0x064B, 0x065F }, { 0x1AB0, 0x1AFF }, { 0x1DC0, 0x1DFF }, { 0x200B, 0x200F },
		{ 0x20D0, 0x20FF }, { 0xFE00, 0xFE0F }, { 0xFE20, 0xFE2F }, { 0xFEFF, 0xFEFF }
	};
	static const struct range wide[] = { { 0x1100, 0x115F },   { 0x2E80, 0x303E },
					     { 0x3041, 0xA4CF },   { 0xA960, 0xA97F },
					     { 0xAC00, 0xD7A3 },   { 0xF900, 0xFAFF },
					     { 0xFE30, 0xFE6F },   { 0xFF00, 0xFF60 },
					     { 0xFFE0, 0xFFE6 },   { 0x1F300, 0x1F64F },
					     { 0x1F680, 0x1F6FF }, { 0x1F900, 0x1F9FF },
					     { 0x20000, 0x3FFFD } };

	if (point < 0x300)
		return 1;
	if (within(point, none, sizeof(none) / sizeof(*none)))
		return 0;
	return within(point, wide, sizeof(wide) / sizeof(*wide)) ? 2 : 1;
}

int display_width(const char *text, size_t length)
{
	size_t at = 0, bytes;
	int width = 0;

	for (; at < length; at += bytes)
		width += point_width(decode(text + at, length - at, &bytes));
	return width;
}

/* One line of a paragraph, words moved to the next line where they do not fit. */
static void wrap_line(struct buf *out, const char *line, size_t length, int used, int indent,
		      int columns)
{
	size_t at = 0, next;
	bool first = true;

	while (at < length) {
		size_t blanks = strspn(line + at, " ");
		int width;

		if (blanks > length - at)
			blanks = length - at;
		next = at + blanks;
		while (next < length && line[next] != ' ')
			next++;
		width = display_width(line + at + blanks, next - at - blanks);
		if ((!first || used > indent) && used + (int)blanks + width > columns) {
			buf_char(out, '\n');
			buf_repeat(out, ' ', (size_t)indent);
			used = indent;
		} else if (next > at + blanks) {
			buf_repeat(out, ' ', blanks);
			used += (int)blanks;
		}
		buf_bytes(out, line + at + blanks, next - at - blanks);
		used += width;
		first = false;
		at = next;
	}
}

void wrap_text(struct buf *out, const char *text, int used, int indent, int columns)
{
	size_t length, breaks = 0;

	for (;; used = indent) {
		length = strcspn(text, "\n");
		if (strspn(text, " ") < length) { /* blank lines wait until something follows */
			buf_repeat(out, '\n', breaks);
			buf_repeat(out, ' ', breaks ? (size_t)indent : 0);
			breaks = 0;
			wrap_line(out, text, length, used, indent, columns);
		}
		text += length;
		if (!*text)
			return;
		text++;
		breaks++;
	}
}
