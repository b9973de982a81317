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
	count = 1;
	for (at = text; (at = memchr(at, '\n', (size_t)(end - at))); at++)
		lines[count++] = (uint32_t)(at - text + 1);
	source->path = path;
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
