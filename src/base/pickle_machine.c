#include "base/pickle_machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

void machine_fail(struct machine *m, const char *format, ...)
{
	va_list args;

	if (m->error)
		return;
	va_start(args, format);
	m->error = arena_printf(m->arena, "byte %zu: %s", (size_t)(m->op - m->start),
				arena_vprintf(m->arena, format, args));
	va_end(args);
}

const unsigned char *machine_take(struct machine *m, uint64_t length)
{
	const unsigned char *bytes = m->at;
	size_t left = (size_t)(m->end - m->at);

	if (length > left) {
		machine_fail(m,
			     "%s wants %" PRIu64
			     " bytes and finds %zu: the pickle is cut short or damaged",
			     m->name, length, left);
		return NULL;
	}
	m->at += length;
	return bytes;
}

uint64_t machine_number(struct machine *m, size_t size)
{
	const unsigned char *bytes = machine_take(m, size);
	uint64_t number = 0;

	while (bytes && size-- > 0)
		number = number << 8 | bytes[size];
	return number;
}

const char *machine_line(struct machine *m, size_t *length)
{
	size_t left = (size_t)(m->end - m->at);
	const unsigned char *line = m->at, *end = left ? memchr(line, '\n', left) : NULL;

	if (!end) {
		machine_fail(m, "the line of %s has no end: the pickle is cut short or damaged",
			     m->name);
		return NULL;
	}
	*length = (size_t)(end - line);
	m->at = end + 1;
	return (const char *)line;
}

bool machine_has(struct machine *m, size_t count)
{
	if (machine_height(m) >= count)
		return true;
	machine_fail(m, "%s needs %zu on its stack and finds %zu", m->name, count,
		     machine_height(m));
	return false;
}

bool machine_group(struct machine *m, const struct pickle_value **items, size_t *count)
{
	size_t from;

	if (!m->marks.count) {
		machine_fail(m, "%s ends a group that was never begun", m->name);
		return false;
	}
	from = m->marks.items[--m->marks.count];
	*count = m->stack.count - from;
	*items = *count ? m->stack.items + from : NULL;
	m->stack.count = from;
	return true;
}

struct pickle_value machine_text(enum pickle_kind kind, const void *text, uint64_t length)
{
	struct pickle_value value = { .kind = kind, .count = (uint32_t)length };

	value.as.text = text;
	return value;
}

struct pickle_value machine_tuple(struct machine *m, const struct pickle_value *items, size_t count)
{
	struct pickle_value value = { .kind = PICKLE_TUPLE, .count = (uint32_t)count };
	struct pickle_value *copy;

	if (!count)
		return value;
	copy = arena_array(m->arena, count, sizeof(*copy));
	memcpy(copy, items, count * sizeof(*copy));
	value.as.items = copy;
	return value;
}
