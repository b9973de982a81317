#include "report/findings/line_hash.h"

#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"

#include <inttypes.h>
#include <string.h>

enum { WINDOW = 100, BASE = 37, END = 65535, REPLACEMENT = 0xFFFD };

/* A text as it is hashed, and where its lines begin in it. */
struct units {
	VEC(uint16_t) list;
	VEC(size_t) starts;
	bool fresh; /* the next unit begins a line */
};

static void add_unit(struct arena *arena, struct units *units, uint16_t unit)
{
	if (units->fresh)
		vec_push(arena, &units->starts, units->list.count);
	units->fresh = unit == '\n';
	vec_push(arena, &units->list, unit);
}

/* Adds one code point of `length` bytes of well-formed UTF-8 as one or two units. */
static void add_point(struct arena *arena, struct units *units, const char *text, size_t length)
{
	static const unsigned char masks[] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
	uint32_t point = (unsigned char)text[0] & masks[length];
	size_t i;

	for (i = 1; i < length; i++)
		point = point << 6 | ((unsigned char)text[i] & 0x3F);
	if (point < 0x10000) {
		add_unit(arena, units, (uint16_t)point);
		return;
	}
	point -= 0x10000;
	add_unit(arena, units, (uint16_t)(0xD800 | point >> 10));
	add_unit(arena, units, (uint16_t)(0xDC00 | (point & 0x3FF)));
}

/* Bytes of the code point at `text`, of which `left` are there; 0 when it is ill-formed. */
static size_t point_length(const char *text, size_t left)
{
	unsigned char lead = (unsigned char)*text;
	size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4, bad;

	return length <= left && text_is_utf8(text, length, &bad) ? length : 0;
}

/* False when a line ends with a lone '\r'. */
static bool read_units(struct arena *arena, struct units *units, const struct source *source)
{
	size_t i, length;

	units->fresh = true;
	for (i = 0; i < source->length; i += length) {
		const char *at = source->text + i;
		length = 1;
		if (*at == ' ' || *at == '\t')
			continue;
		if (*at == '\r' && at[1] != '\n')
			return false;
		if (*at == '\r')
			continue;
		length = point_length(at, source->length - i);
		if (length)
			add_point(arena, units, at, length);
		else
			add_unit(arena, units, REPLACEMENT);
		length += !length;
	}
	add_unit(arena, units, END);
	return true;
}

static uint64_t hash_from(const struct units *units, size_t start)
{
	uint64_t hash = 0;
	size_t i;

	for (i = start; i < start + WINDOW; i++)
		hash = hash * BASE + (i < units->list.count ? units->list.items[i] : 0);
	return hash;
}

static void name_lines(struct line_hashes *hashes, const struct units *units)
{
	struct arena *arena = hashes->arena;
	struct map seen = { .arena = arena };
	size_t *counts = arena_array(arena, units->starts.count, sizeof(*counts));
	size_t i;

	for (i = 0; i < units->starts.count && i < hashes->source->line_count; i++) {
		const char *hash =
			arena_printf(arena, "%" PRIx64, hash_from(units, units->starts.items[i]));
		int64_t first = map_find(&seen, hash);
		if (first < 0)
			map_add(&seen, hash, (uint32_t)i);
		hashes->names[i] = arena_printf(arena, "%s:%zu", hash,
						++counts[first < 0 ? i : (size_t)first]);
	}
}

const char *line_hash(struct line_hashes *hashes, const struct source *source, uint32_t line)
{
	struct units units = { 0 };

	if (hashes->source != source) {
		hashes->source = source;
		hashes->names = arena_array(hashes->arena, source->line_count, sizeof(char *));
		if (read_units(hashes->arena, &units, source))
			name_lines(hashes, &units);
	}
	return line >= 1 && line <= source->line_count ? hashes->names[line - 1] : NULL;
}
