#include "input/shell/text.h"

#include "base/buf.h"

#include <string.h>

void shell_put(struct arena *arena, struct shell_text *text, char c, uint32_t at)
{
	if (text->length + 2 > text->capacity) {
		size_t capacity = text->capacity ? text->capacity * 2 : 24;
		char *bytes = arena_alloc(arena, capacity);
		uint32_t *places = arena_array(arena, capacity, sizeof(*places));

		if (text->length) {
			memcpy(bytes, text->text, text->length);
			memcpy(places, text->at, text->length * sizeof(*places));
		}
		text->text = bytes;
		text->at = places;
		text->capacity = capacity;
	}
	text->text[text->length] = c;
	text->at[text->length++] = at;
	text->text[text->length] = '\0';
}

void shell_append(struct arena *arena, struct shell_text *text, const struct shell_text *from,
		  size_t start, size_t end)
{
	size_t i;

	for (i = start; i < end && i < from->length; i++)
		shell_put(arena, text, from->text[i], from->at[i]);
}

void shell_say(struct arena *arena, struct shell_text *text, const char *string, uint32_t at)
{
	for (; *string; string++)
		shell_put(arena, text, *string, at);
}

void shell_leave_open(struct arena *arena, struct shell_text *text, const char *what, uint32_t at)
{
	shell_put(arena, text, SHELL_OPEN, at);
	for (; *what; what++)
		if (*what > SHELL_SURELY || *what < 0)
			shell_put(arena, text, *what == '\n' ? ' ' : *what, at);
	shell_put(arena, text, SHELL_CLOSE, at);
}

const char *shell_string(const struct shell_text *text)
{
	return text->length ? text->text : "";
}

static bool is_mark(char c)
{
	return c >= SHELL_OPEN && c <= SHELL_SURELY;
}

bool shell_known(const struct shell_text *text)
{
	size_t i;

	for (i = 0; i < text->length; i++)
		if (is_mark(text->text[i]))
			return false;
	return true;
}

char *shell_shown(struct arena *arena, const struct shell_text *text, size_t skip)
{
	char *shown = arena_alloc(arena, text->length + 1);
	size_t i, length = 0;

	for (i = 0; i < text->length; i++) {
		if (is_mark(text->text[i]))
			continue;
		if (skip)
			skip--;
		else
			shown[length++] = text->text[i];
	}
	return shown;
}

const char shell_by_condition[] = "a condition decides whether it is there";

const char *shell_open_part(struct arena *arena, const struct shell_text *text, size_t skip)
{
	size_t i, length;
	bool maybe = false;

	for (i = 0; i < text->length; i++) {
		char c = text->text[i];
		if (c == SHELL_OPEN) {
			length = strcspn(text->text + i + 1, "\002");
			if (length >= skip)
				return arena_strndup(arena, text->text + i + 1, length);
		}
		if (c == SHELL_MAYBE || c == SHELL_SURELY)
			maybe = c == SHELL_MAYBE;
		if (is_mark(c))
			continue;
		if (maybe && !skip)
			return shell_by_condition;
		skip -= skip > 0;
	}
	return NULL;
}

bool shell_same(const struct shell_text *a, const struct shell_text *b)
{
	return a->length == b->length && (!a->length || !memcmp(a->text, b->text, a->length));
}
