#include "evidence/log/window.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

/* Bytes of its line that are shown before a match. */
enum { BEFORE_MOST = 120 };

void log_window_clear(struct log_window *window)
{
	window->length = window->packed_length = window->count = 0;
}

bool log_window_add(struct log_window *window, const char *text, size_t length, size_t line,
		    int64_t rank)
{
	struct window_line *added = &window->lines[window->count];
	size_t i, room = WINDOW_BYTES - window->length;

	if (window->count == WINDOW_LINES || room < 2)
		return false;
	if (length > room - 1)
		length = room - 1;
	*added = (struct window_line) { window->length, line, rank };
	window->count++;
	for (i = 0; i < length; i++) {
		if (isspace((unsigned char)text[i]))
			continue;
		window->origin[window->packed_length] = (uint16_t)(window->length + i);
		window->packed[window->packed_length++] = text[i];
	}
	memcpy(window->text + window->length, text, length);
	window->length += length;
	window->text[window->length++] = '\n';
	return true;
}

const struct window_line *log_window_at(const struct log_window *window, size_t packed)
{
	size_t i = window->count;

	while (i > 1 && window->lines[i - 1].at > window->origin[packed])
		i--;
	return &window->lines[i - 1];
}

/* The bytes that are shown: no character is cut in two. */
static size_t cut(const char *text, size_t length)
{
	if (length <= PRINTED_MOST)
		return length;
	for (length = PRINTED_MOST; length && ((unsigned char)text[length] & 0xc0) == 0x80;)
		length--;
	return length;
}

const char *log_shown(struct arena *arena, const char *text, size_t length)
{
	char *shown = arena_alloc(arena, length + 1), *to = shown;
	size_t i, bad;
	bool sound;

	while (length && isspace((unsigned char)*text))
		text++, length--;
	length = cut(text, length);
	sound = text_is_utf8(text, length, &bad);
	for (i = 0; i < length; i++) {
		const unsigned char c = (unsigned char)text[i];
		if (c <= ' ' || c == 0x7f)
			*to = ' ';
		else
			*to = sound || c < 0x80 ? text[i] : '?';
		if (*to != ' ' || (to > shown && to[-1] != ' '))
			to++;
	}
	while (to > shown && to[-1] == ' ')
		to--;
	*to = '\0';
	return shown;
}

const char *log_window_printed(struct arena *arena, const struct log_window *window,
			       const struct phrase_match *match)
{
	size_t start = window->origin[match->start], end = window->origin[match->end - 1];
	size_t begin = log_window_at(window, match->start)->at;

	if (start - begin <= BEFORE_MOST)
		start = begin;
	while (end < window->length && window->text[end] != '\n')
		end++;
	return log_shown(arena, window->text + start, end - start);
}

const char *log_window_part(struct arena *arena, const struct log_window *window, size_t from,
			    size_t to)
{
	size_t start;

	if (from >= to)
		return "";
	start = window->origin[from];
	return log_shown(arena, window->text + start, window->origin[to - 1] + 1 - start);
}
