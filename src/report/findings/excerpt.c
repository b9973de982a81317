#include "report/findings/excerpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAB = 8, MARK_MARGIN = 8, DOTS = 3 /* "..." for what is left out of a line */ };

/* A place of one line to be marked. */
struct mark {
	uint32_t line, column, end_column; /* code points, end exclusive */
	const char *label;		   /* NULL: the finding's own span */
};

struct marks {
	VEC(struct mark) list;
};

/* A source line as it is shown: clean text, and where each code point stands in it. */
struct shown {
	struct buf text;
	VEC(int) at;	   /* display column of each code point, 0-based; one more for the end */
	VEC(size_t) bytes; /* byte offset in `text` of each code point; one more for the end */
};

static bool continues(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

/* Appends one code point: tabs as blanks to the next stop, control characters as '?'. */
static int show_point(struct shown *shown, const char *point, size_t length, int column)
{
	unsigned char c = (unsigned char)*point;

	if (c == '\t') {
		buf_repeat(&shown->text, ' ', (size_t)(TAB - column % TAB));
		return TAB - column % TAB;
	}
	if (c < 0x20 || c == 0x7F || (length == 2 && c == 0xC2 && (unsigned char)point[1] < 0xA0)) {
		buf_char(&shown->text, '?');
		return 1;
	}
	if (c >= 0x80 && (length == 1 || continues(*point))) {
		buf_text(&shown->text, "\xEF\xBF\xBD");
		return 1;
	}
	buf_bytes(&shown->text, point, length);
	return display_width(point, length);
}

static void show_line(struct arena *arena, struct shown *shown, const char *line, size_t length)
{
	size_t at, next;
	int column = 0;

	buf_init(&shown->text);
	for (at = 0; at < length; at = next) {
		next = at + 1;
		while (next < length && continues(line[next]))
			next++;
		vec_push(arena, &shown->at, column);
		vec_push(arena, &shown->bytes, shown->text.length);
		column += show_point(shown, line + at, next - at, column);
	}
	vec_push(arena, &shown->at, column);
	vec_push(arena, &shown->bytes, shown->text.length);
}

/* Index into shown->at of a 1-based code-point column. */
static size_t point_index(const struct shown *shown, uint32_t column)
{
	size_t last = shown->at.count - 1;

	return column - 1 < last ? column - 1 : last;
}

/* The part of a long line to show: code points [first, end). */
struct window {
	size_t first, end;
};

static struct window window_around(const struct shown *shown, uint32_t column, int room)
{
	struct window window = { 0, shown->at.count - 1 };
	size_t start = point_index(shown, column);
	int from;

	if (shown->at.items[window.end] <= room)
		return window;
	if (shown->at.items[start] > room - MARK_MARGIN) {
		from = shown->at.items[start] - room / 2;
		while (shown->at.items[window.first] < from)
			window.first++;
	}
	from = shown->at.items[window.first];
	while (window.end > window.first && shown->at.items[window.end] - from > room)
		window.end--;
	return window;
}

static void put_gutter(struct buf *out, const struct style *style, int gutter, uint32_t line)
{
	style_put(style, out, COLOR_DIM);
	if (line)
		buf_printf(out, "%*u |", gutter, (unsigned int)line);
	else
		buf_printf(out, "%*s |", gutter, "");
	style_put(style, out, COLOR_PLAIN);
}

static void trim(struct buf *out)
{
	while (out->length && out->data[out->length - 1] == ' ')
		out->data[--out->length] = '\0';
}

static void put_source(struct buf *out, const struct shown *shown, struct window window)
{
	size_t start = shown->bytes.items[window.first];

	buf_char(out, ' ');
	if (window.first)
		buf_text(out, "...");
	buf_bytes(out, shown->text.data + start, shown->bytes.items[window.end] - start);
	if (window.end + 1 < shown->at.count)
		buf_text(out, "...");
	trim(out);
}

/* Display columns of a mark, of what the window shows of it: the dots where it shows nothing. */
struct underline {
	int from, width;
};

static struct underline underline_of(const struct shown *shown, struct window window,
				     const struct mark *mark)
{
	int start = shown->at.items[window.first], limit = shown->at.items[window.end];
	int from = shown->at.items[point_index(shown, mark->column)];
	int end = shown->at.items[point_index(shown, mark->end_column)];

	if (window.first && end <= start)
		return (struct underline) { start - DOTS, DOTS };
	if (window.end + 1 < shown->at.count && from >= limit)
		return (struct underline) { limit, DOTS };
	from = from < start ? start : from;
	end = end < limit ? end : limit;
	return (struct underline) { from, end - from < 1 ? 1 : end - from };
}

/* Blanks and the underline of one mark, then its label. */
static void put_mark(struct buf *out, const struct shown *shown, struct window window,
		     const struct mark *mark, int gutter, const struct style *style, int color)
{
	struct underline underline = underline_of(shown, window, mark);
	int origin = shown->at.items[window.first] - (window.first ? DOTS : 0);
	int from = underline.from, width = underline.width;

	put_gutter(out, style, gutter, 0);
	buf_repeat(out, ' ', (size_t)(from - origin + 1));
	style_put(style, out, color);
	buf_repeat(out, mark->label ? '-' : '^', (size_t)width);
	style_put(style, out, COLOR_PLAIN);
	if (mark->label) {
		int used = gutter + 3 + from - origin + width;
		buf_char(out, ' ');
		wrap_text(out, mark->label, used + 1, gutter + 3, style->columns);
	}
	buf_char(out, '\n');
}

static int compare_marks(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (!a->label != !b->label)
		return a->label ? 1 : -1;
	return a->column < b->column ? -1 : a->column > b->column;
}

static void add_mark(struct arena *arena, struct marks *marks, struct span span, const char *label)
{
	struct mark mark = { span.line, span.column, span.end_column, label };

	if (span.end_line != span.line)
		mark.end_column = UINT32_MAX;
	vec_push(arena, &marks->list, mark);
}

/* All marks of a finding in its own source, by line; its own first within a line. */
static struct marks collect(struct arena *arena, const struct finding *finding)
{
	struct marks marks = { 0 };
	size_t i;

	add_mark(arena, &marks, finding->span, NULL);
	for (i = 0; i < finding->related.count; i++) {
		const struct related *related = &finding->related.items[i];
		if (span_known(related->span) && related->span.source == finding->span.source)
			add_mark(arena, &marks, related->span, related->message);
	}
	qsort(marks.list.items, marks.list.count, sizeof(struct mark), compare_marks);
	return marks;
}

int excerpt_gutter(const struct finding *finding)
{
	uint32_t last = span_known(finding->span) ? finding->span.line : 1;
	int width = 1;
	size_t i;

	for (i = 0; i < finding->related.count; i++) {
		struct span span = finding->related.items[i].span;
		if (span_known(span) && span.source == finding->span.source && span.line > last)
			last = span.line;
	}
	while (last >= 10) {
		last /= 10;
		width++;
	}
	return width;
}

/* Columns for the text of a source line. */
static int room_of(const struct style *style, int gutter)
{
	int columns = style->columns == STYLE_UNWRAPPED ? STYLE_EXCERPT : style->columns;
	int room = columns - gutter - 9;

	return room < 20 ? 20 : room;
}

/* One source line with all its marks; returns how many marks it took. */
static size_t put_line(struct arena *arena, const struct finding *finding, const struct mark *marks,
		       size_t count, const struct style *style, struct buf *out)
{
	int gutter = excerpt_gutter(finding), room = room_of(style, gutter);
	struct shown shown = { 0 };
	struct window window;
	const char *line;
	size_t length, i;

	line = source_line(finding->span.source, marks[0].line, &length);
	show_line(arena, &shown, line, length);
	window = window_around(&shown, marks[0].column, room);
	put_gutter(out, style, gutter, marks[0].line);
	put_source(out, &shown, window);
	buf_char(out, '\n');
	for (i = 0; i < count && marks[i].line == marks[0].line; i++)
		put_mark(out, &shown, window, &marks[i], gutter, style,
			 marks[i].label ? COLOR_NOTE : style_severity(finding->severity));
	buf_release(&shown.text);
	return i;
}

void excerpt_write(struct arena *arena, const struct finding *finding, const struct style *style,
		   struct buf *out)
{
	struct marks marks;
	int gutter = excerpt_gutter(finding);
	size_t at;

	if (!span_known(finding->span))
		return;
	marks = collect(arena, finding);
	put_gutter(out, style, gutter, 0);
	buf_char(out, '\n');
	for (at = 0; at < marks.list.count;) {
		if (at && marks.list.items[at].line > marks.list.items[at - 1].line + 1)
			buf_text(out, "...\n");
		at += put_line(arena, finding, &marks.list.items[at], marks.list.count - at, style,
			       out);
	}
}

/* True when the edit takes or puts whole lines, and touches no line in part. */
static bool whole_lines(const struct edit *edit)
{
	const char *end = strrchr(edit->text, '\n');

	return edit->span.column == 1 && edit->span.end_column == 1 &&
	       (edit->span.end_line > edit->span.line || *edit->text) &&
	       (end ? !end[1] : !*edit->text);
}

/* The first edit on part of a line that begins at or behind the byte `at`, or NULL. */
static const struct edit *next_edit(const struct finding *finding, uint32_t line, size_t at)
{
	const struct source *source = finding->span.source;
	const struct edit *next = NULL;
	size_t i, first = SIZE_MAX;

	for (i = 0; i < finding->edits.count; i++) {
		const struct edit *edit = &finding->edits.items[i];
		size_t start = source_offset(source, edit->span.line, edit->span.column);

		if (edit->span.line != line || start < at || start >= first || whole_lines(edit))
			continue;
		next = edit;
		first = start;
	}
	return next;
}

/* Puts the text of a line with the edits that lie on it applied. */
static void put_edited(const struct finding *finding, uint32_t line, struct buf *out)
{
	const struct source *source = finding->span.source;
	size_t length, start, at, done;
	const char *text = source_line(source, line, &length);
	const struct edit *edit;

	done = at = (size_t)(text - source->text);
	length += at;
	while ((edit = next_edit(finding, line, at))) {
		start = source_offset(source, line, edit->span.column);
		buf_bytes(out, source->text + done, start - done);
		buf_text(out, edit->text);
		done = source_offset(source, edit->span.end_line, edit->span.end_column);
		at = done > start ? done : start + 1;
	}
	if (done < length)
		buf_bytes(out, source->text + done, length - done);
}

/* Where the lines of a difference go, and the column of a long line that must be seen. */
struct diff {
	struct arena *arena;
	struct buf *out;
	const struct style *style;
	int gutter;
	uint32_t column;
};

static void put_diff_line(const struct diff *diff, uint32_t line, char sign, const char *text,
			  size_t length)
{
	int room = room_of(diff->style, diff->gutter);
	struct shown shown = { 0 };

	show_line(diff->arena, &shown, text, length);
	style_put(diff->style, diff->out, sign == '+' ? COLOR_FIX : COLOR_DIM);
	buf_printf(diff->out, "%*u %c", diff->gutter, (unsigned int)line, sign);
	put_source(diff->out, &shown, window_around(&shown, diff->column, room));
	style_put(diff->style, diff->out, COLOR_PLAIN);
	buf_char(diff->out, '\n');
	buf_release(&shown.text);
}

static void put_whole_lines(const struct diff *diff, const struct source *source,
			    const struct edit *edit)
{
	const char *line;
	uint32_t number;
	size_t length;

	for (number = edit->span.line; number < edit->span.end_line; number++) {
		line = source_line(source, number, &length);
		put_diff_line(diff, number, '-', line, length);
	}
	for (line = edit->text; *line; line += length + 1) {
		length = strcspn(line, "\n");
		put_diff_line(diff, edit->span.line, '+', line, length);
	}
}

static void put_changed_line(const struct diff *diff, const struct finding *finding, uint32_t line)
{
	struct buf edited;
	const char *text;
	size_t length;

	text = source_line(finding->span.source, line, &length);
	buf_init(&edited);
	put_edited(finding, line, &edited);
	put_diff_line(diff, line, '-', text, length);
	if (edited.length) /* else the last line goes, which no line break ends */
		put_diff_line(diff, line, '+', edited.data, edited.length);
	buf_release(&edited);
}

void excerpt_edits(struct arena *arena, const struct finding *finding, const struct style *style,
		   struct buf *out)
{
	struct diff diff = { arena, out, style, excerpt_gutter(finding), 1 };
	uint32_t done = 0;
	size_t i;

	for (i = 0; i < finding->edits.count; i++) {
		const struct edit *edit = &finding->edits.items[i];

		if (!span_known(edit->span) || edit->span.source != finding->span.source)
			continue;
		diff.column = edit->span.column;
		if (whole_lines(edit)) {
			put_whole_lines(&diff, finding->span.source, edit);
		} else if (edit->span.line == edit->span.end_line && edit->span.line != done) {
			done = edit->span.line;
			put_changed_line(&diff, finding, done);
		}
	}
}
