#include "lsp/position.h"

#include "input/field.h"
#include "input/keys.h"

static uint32_t count_of(const struct node *node, const char *key)
{
	const int64_t count = keys_int(node, key, 0);

	return count < 0 ? 0 : count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

struct position position_read(const struct node *node)
{
	return (struct position) { count_of(node, "line"), count_of(node, "character") };
}

/* Bytes of the code point that begins there, and its units: two beyond U+FFFF. */
static size_t point_at(const char *at, size_t left, uint32_t *units)
{
	const unsigned char lead = (unsigned char)*at;
	const size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;

	*units = length == 4 && left >= 4 ? 2 : 1;
	return length <= left ? length : 1;
}

size_t position_offset(const struct source *source, struct position position)
{
	size_t length, at = 0, point;
	uint32_t units = 0, more;
	const char *text;

	if (position.line >= source->line_count)
		return source->length;
	text = source_line(source, position.line + 1, &length);
	while (at < length && units < position.unit) {
		point = point_at(text + at, length - at, &more);
		at += point;
		units += more;
	}
	return (size_t)(text - source->text) + at;
}

struct position position_of(const struct source *source, size_t offset)
{
	const struct span span = source_span(source, offset, offset);
	struct position position = { span.line - 1, 0 };
	size_t at = source->lines[span.line - 1];
	uint32_t more;

	while (at < offset && at < source->length) {
		at += point_at(source->text + at, source->length - at, &more);
		position.unit += more;
	}
	return position;
}

bool position_within(const struct source *source, struct span span, size_t offset)
{
	return span_known(span) && span.source == source &&
	       source_offset(source, span.line, span.column) <= offset &&
	       offset <= source_offset(source, span.end_line, span.end_column);
}

static void put_position(struct json_writer *json, const char *key, struct position position)
{
	json_object(json, key);
	json_int(json, "line", position.line);
	json_int(json, "character", position.unit);
	json_object_end(json);
}

void position_bytes(struct json_writer *json, const char *key, const struct source *source,
		    size_t start, size_t end)
{
	json_object(json, key);
	put_position(json, "start", position_of(source, start));
	put_position(json, "end", position_of(source, end));
	json_object_end(json);
}

void position_range(struct json_writer *json, const char *key, struct span span)
{
	static const struct position first = { 0, 0 };

	if (span_known(span)) {
		position_bytes(json, key, span.source,
			       source_offset(span.source, span.line, span.column),
			       source_offset(span.source, span.end_line, span.end_column));
		return;
	}
	json_object(json, key);
	put_position(json, "start", first);
	put_position(json, "end", first);
	json_object_end(json);
}
