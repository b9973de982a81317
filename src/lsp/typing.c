#include "lsp/typing.h"

#include "base/text.h"
#include "base/vec.h"

#include <ctype.h>
#include <string.h>

static const char *below(struct arena *arena, const char *map, const char *key)
{
	return *map ? arena_join(arena, map, ".", key) : key;
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || strchr("_-./@*+", c);
}

static size_t line_start(const char *text, size_t offset)
{
	while (offset && text[offset - 1] != '\n')
		offset--;
	return offset;
}

/* The word that ends at the place. */
static void find_word(struct typing *typing, const char *text, size_t from, size_t offset)
{
	typing->start = offset;
	while (typing->start > from && text[typing->start - 1] && in_word(text[typing->start - 1]))
		typing->start--;
	typing->quoted = typing->start > from && strchr("\"'", text[typing->start - 1]);
}

/* What stands between two bytes, without blanks and quotes around it. */
static const char *trimmed(struct arena *arena, const char *text, size_t start, size_t end)
{
	while (start < end && strchr(" \t\"'-", text[start]))
		start++;
	while (end > start && strchr(" \t\"'\r", text[end - 1]))
		end--;
	return arena_strndup(arena, text + start, end - start);
}

/* ---- brackets: JSON, and what of YAML stands in them ---- */

struct bracket {
	const char *map; /* around it */
	bool list;
};

struct brackets {
	struct arena *arena;
	VEC(struct bracket) open;
	const char *map, *pending, *word; /* the key before a colon; the last string or word */
};

static void open_bracket(struct brackets *brackets, bool list)
{
	const struct bracket bracket = { brackets->map, list };

	vec_push(brackets->arena, &brackets->open, bracket);
	if (brackets->pending)
		brackets->map = below(brackets->arena, brackets->map, brackets->pending);
	brackets->pending = NULL;
}

static void close_bracket(struct brackets *brackets)
{
	if (brackets->open.count)
		brackets->map = brackets->open.items[--brackets->open.count].map;
	brackets->pending = NULL;
}

/* Bytes of a string from its quote on, as far as the end of the line. */
static size_t string_length(const char *text, size_t at, size_t end)
{
	const char quote = text[at];
	size_t i;

	for (i = at + 1; i < end && text[i] != quote && text[i] != '\n'; i++)
		i += text[i] == '\\' && i + 1 < end;
	return i - at;
}

static void follow(struct brackets *brackets, const char *text, size_t start, size_t end)
{
	size_t at = start, length;

	for (; at < end; at += length) {
		length = 1;
		if (text[at] == '"' || text[at] == '\'') {
			length = string_length(text, at, end);
			brackets->word = arena_strndup(brackets->arena, text + at + 1, length - 1);
			length += at + length < end;
		} else if (in_word(text[at])) {
			while (at + length < end && in_word(text[at + length]))
				length++;
			brackets->word = arena_strndup(brackets->arena, text + at, length);
		} else if (strchr("{[", text[at])) {
			open_bracket(brackets, text[at] == '[');
		} else if (strchr("}]", text[at])) {
			close_bracket(brackets);
		} else if (text[at] == ':') {
			brackets->pending = brackets->word;
		} else if (text[at] == ',') {
			brackets->pending = NULL;
		}
	}
}

static void read_brackets(struct typing *typing, struct arena *arena, const char *map,
			  const char *text, size_t start, size_t offset)
{
	struct brackets brackets = { .arena = arena, .map = map, .word = "" };

	follow(&brackets, text, start, offset);
	typing->map = brackets.map;
	typing->key = brackets.pending;
}

/* ---- YAML ---- */

static size_t indent_of(const char *line)
{
	size_t indent = strspn(line, " ");

	while (line[indent] == '-' && line[indent + 1] == ' ')
		indent += 2 + strspn(line + indent + 2, " ");
	return indent;
}

/* True for a line with a key and nothing behind it; *end is its colon. */
static bool is_section(const char *line, size_t length, size_t *end)
{
	const char *comment = memchr(line, '#', length);

	length = comment ? (size_t)(comment - line) : length;
	while (length && strchr(" \t\r", line[length - 1]))
		length--;
	*end = length ? length - 1 : 0;
	return length > 1 && line[length - 1] == ':';
}

/* The keys of the lines above that are less and less indented. */
static const char *yaml_map(struct arena *arena, const char *text, size_t line, size_t indent)
{
	const char *map = "";
	size_t start, end;

	while (line && indent) {
		start = line_start(text, line - 1);
		if (strspn(text + start, " ") < indent &&
		    is_section(text + start, line - 1 - start, &end) &&
		    indent_of(text + start) < indent) {
			const char *key = trimmed(arena, text, start, start + end);
			map = *map ? arena_join(arena, key, ".", map) : key;
			indent = strspn(text + start, " ");
		}
		line = start;
	}
	return map;
}

static void type_yaml(struct typing *typing, struct arena *arena, const char *text, size_t offset)
{
	const size_t line = line_start(text, offset), indent = indent_of(text + line);
	const char *map = yaml_map(arena, text, line, indent), *colon;
	const size_t from = line + indent < offset ? line + indent : offset;

	typing->map = map;
	colon = memchr(text + from, ':', offset - from);
	if (memchr(text + from, '{', offset - from))
		read_brackets(typing, arena, map, text, from, offset);
	else if (colon)
		typing->key = trimmed(arena, text, from, (size_t)(colon - text));
}

/* ---- TOML ---- */

static void type_toml(struct typing *typing, struct arena *arena, const char *text, size_t offset)
{
	size_t line = line_start(text, offset), start = line;
	const char *equals = memchr(text + line, '=', offset - line);

	typing->map = "";
	if (line < offset && text[line] == '[') {
		typing->header = true;
		return;
	}
	while (line && text[line] != '[')
		line = line_start(text, line - 1);
	if (text[line] == '[')
		typing->map =
			arena_strndup(arena, text + line + 1, strcspn(text + line + 1, "]\r\n"));
	if (equals)
		typing->key = trimmed(arena, text, start, (size_t)(equals - text));
}

static enum form form_of(const char *path, const char *text)
{
	if (text_ends(path, ".toml"))
		return FORM_TOML;
	if (text_ends(path, ".json"))
		return FORM_JSON;
	return !text_ends(path, ".yaml") && !text_ends(path, ".yml") &&
			       text[strspn(text, " \t\r\n")] == '{'
		       ? FORM_JSON
		       : FORM_YAML;
}

void typing_at(struct typing *typing, struct arena *arena, const char *path, const char *text,
	       size_t offset)
{
	*typing = (struct typing) { .form = form_of(path, text) };
	find_word(typing, text, line_start(text, offset), offset);
	if (typing->form == FORM_JSON)
		read_brackets(typing, arena, "", text, 0, typing->start - typing->quoted);
	else if (typing->form == FORM_TOML)
		type_toml(typing, arena, text, offset);
	else
		type_yaml(typing, arena, text, offset);
}
