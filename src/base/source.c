#include "base/source.h"

#include <string.h>

struct source *source_new(struct arena *arena, const char *path, const char *text, size_t length)
{
	struct source *source = arena_new(arena, struct source);
	const char *at = text, *end = text + length;
	uint32_t *lines, count = 1;

	while ((at = memchr(at, '\n', (size_t)(end - at)))) {
		count++;
		at++;
	}
	lines = arena_array(arena, count, sizeof(*lines));
	lines[0] = length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0;
	count = 1;
	for (at = text; (at = memchr(at, '\n', (size_t)(end - at))); at++)
		lines[count++] = (uint32_t)(at - text + 1);
	source->path = path;
	source->place = path;
	source->text = text;
	source->length = length;
	source->lines = lines;
	source->line_count = count;
	return source;
}

const char *source_line(const struct source *source, uint32_t line, size_t *length)
{
	const char *text;
	size_t end;

	*length = 0;
	if (line < 1 || line > source->line_count)
		return "";
	text = source->text + source->lines[line - 1];
	end = line < source->line_count ? source->lines[line] - 1 : source->length;
	*length = end - source->lines[line - 1];
	if (*length && text[*length - 1] == '\r')
		(*length)--;
	return text;
}

static int continues(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

static uint32_t line_at(const struct source *source, size_t offset)
{
	uint32_t low = 0, high = source->line_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (source->lines[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return low + 1;
}

static uint32_t column_at(const struct source *source, uint32_t line, size_t offset)
{
	uint32_t column = 1;
	size_t i;

	for (i = source->lines[line - 1]; i < offset; i++)
		column += !continues(source->text[i]);
	return column;
}

struct span source_span(const struct source *source, size_t start, size_t end)
{
	struct span span = { .source = source };

	if (start > source->length)
		start = source->length;
	if (end > source->length)
		end = source->length;
	if (end < start)
		end = start;
	span.line = line_at(source, start);
	span.column = column_at(source, span.line, start);
	span.end_line = line_at(source, end);
	span.end_column = column_at(source, span.end_line, end);
	return span;
}

size_t source_offset(const struct source *source, uint32_t line, uint32_t column)
{
	size_t at, end;

	if (line < 1)
		return 0;
	if (line > source->line_count)
		return source->length;
	at = source->lines[line - 1];
	end = line < source->line_count ? source->lines[line] : source->length;
	while (column > 1 && at < end) {
		at++;
		while (at < end && continues(source->text[at]))
			at++;
		column--;
	}
	return at;
}

void cursor_init(struct cursor *cursor, const struct source *source)
{
	*cursor = (struct cursor) {
		.source = source, .offset = source->lines[0], .line = 1, .column = 1
	};
}

/* One code point on; a line ends at '\n'. */
static void step(struct cursor *cursor)
{
	const struct source *source = cursor->source;
	char c = source->text[cursor->offset++];

	while (cursor->offset < source->length && continues(source->text[cursor->offset]))
		cursor->offset++;
	cursor->index++;
	cursor->column++;
	if (c == '\n') {
		cursor->line++;
		cursor->column = 1;
	}
}

static void step_back(struct cursor *cursor)
{
	const char *text = cursor->source->text;
	size_t first = cursor->source->lines[0];

	cursor->offset--;
	while (cursor->offset > first && continues(text[cursor->offset]))
		cursor->offset--;
	cursor->index--;
	cursor->column--;
	if (text[cursor->offset] == '\n') {
		cursor->line--;
		cursor->column = column_at(cursor->source, cursor->line, cursor->offset);
	}
}

void cursor_to_offset(struct cursor *cursor, size_t offset)
{
	if (offset > cursor->source->length)
		offset = cursor->source->length;
	if (offset < cursor->source->lines[0])
		offset = cursor->source->lines[0];
	while (cursor->offset < offset)
		step(cursor);
	while (cursor->offset > offset)
		step_back(cursor);
}

void cursor_to_index(struct cursor *cursor, size_t index)
{
	while (cursor->index < index && cursor->offset < cursor->source->length)
		step(cursor);
	while (cursor->index > index)
		step_back(cursor);
}

struct span cursor_span(const struct cursor *start, const struct cursor *end)
{
	return (struct span) { start->source, start->line, start->column, end->line, end->column };
}

struct span cursor_over(struct cursor *cursor, size_t start, size_t end)
{
	struct cursor from;

	cursor_to_offset(cursor, start);
	from = *cursor;
	cursor_to_offset(cursor, end < start ? start : end);
	return cursor_span(&from, cursor);
}

int span_known(struct span span)
{
	return span.source && span.line > 0;
}

int span_compare(struct span a, struct span b)
{
	int order;

	if (!span_known(a) || !span_known(b))
		return span_known(a) - span_known(b);
	order = strcmp(a.source->path, b.source->path);
	if (order)
		return order;
	if (a.line != b.line)
		return a.line < b.line ? -1 : 1;
	if (a.column != b.column)
		return a.column < b.column ? -1 : 1;
	return 0;
}
