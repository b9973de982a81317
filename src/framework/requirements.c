#include "framework/requirements.h"

#include "base/bounds.h"
#include "base/text.h"
#include "framework/wing.h"

#include <ctype.h>
#include <string.h>

enum { FILE_BYTES = 4 * 1024 * 1024 };

/* Distributions of PyTorch and what comes with it; those of frameworks have their names. */
static const char *const packages[][2] = {
	{ "torch", "torch" },
	{ "torchao", "torchao" },
	{ "torchft", "torchft" },
	{ "torchft-nightly", "torchft" },
};

struct scan {
	struct pins *pins;
	struct arena *arena;
	const struct source *source;
	const char *bounds;
};

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

static bool in_version(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '-' || c == '_' || c == '+';
}

static bool is_word(const char *word, const char *text, size_t length)
{
	return strlen(word) == length && !strncmp(word, text, length);
}

static const char *framework_of(const char *name, size_t length)
{
	const struct wing *const *wing;
	size_t i;

	for (i = 0; i < sizeof(packages) / sizeof(packages[0]); i++)
		if (is_word(packages[i][0], name, length))
			return packages[i][1];
	for (wing = wings; *wing; wing++)
		if ((*wing)->packaged && is_word((*wing)->name, name, length))
			return (*wing)->name;
	return NULL;
}

static void add(struct scan *scan, const char *framework, const char *start)
{
	struct pin pin = { .framework = framework, .origin = ORIGIN_DERIVED };
	size_t length = 0, at = (size_t)(start - scan->source->text);

	while (in_version(start[length]))
		length++;
	if (!length)
		return;
	pin.version = arena_strndup(scan->arena, start, length);
	pin.span = source_span(scan->source, at, at + length);
	vec_push(scan->arena, &scan->pins->list, pin);
}

/* Where `word` stands between `from` and `end`, or NULL. */
static const char *find(const char *from, const char *end, const char *word)
{
	const char *found = strstr(from, word);

	return found && found < end ? found : NULL;
}

/* What follows the name: "==2.9.0", " @ git+https://host/path.git@v0.2.0". */
static void read_requirement(struct scan *scan, const char *framework, const char *at,
			     const char *end)
{
	const char *git = find(at, end, "git+"), *rev = NULL;

	if (*at == '[') /* extras */
		at = strchr(at, ']') && strchr(at, ']') < end ? strchr(at, ']') + 1 : at;
	at += strspn(at, " \t");
	if (at < end && text_starts(at, "==") && at[2] != '=') {
		at += 2 + strspn(at + 2, " \t");
		if (!memchr(at, '*', (size_t)(end - at)))
			add(scan, framework, at);
	} else if (*at == '@' && git) {
		const char *from = git;
		while ((from = find(from, end, "@")) != NULL)
			rev = ++from;
		if (rev && !memchr(rev, '/', (size_t)(end - rev))) /* not git+ssh://git@host/ */
			add(scan, framework, rev);
	}
}

/* One line of requirements.txt, or of a list of strings in pyproject.toml. */
static void read_line(struct scan *scan, const char *line, const char *end)
{
	const char *at = line + strspn(line, " \t\"'"), *name = at;
	const char *framework;

	while (at < end && in_name(*at))
		at++;
	framework = framework_of(name, (size_t)(at - name));
	if (framework)
		read_requirement(scan, framework, at, end);
}

/* The value of `key = "..."` on the line, or NULL. */
static const char *quoted_value(const char *line, const char *end, const char *key)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) != 0)
		return NULL;
	line += length + strspn(line + length, " \t");
	if (*line != '=')
		return NULL;
	line += 1 + strspn(line + 1, " \t");
	return line < end && *line == '"' ? line + 1 : NULL;
}

/* uv.lock: a table per package with name, version and perhaps source = { git = "...?rev=" }. */
static void read_lock_line(struct scan *scan, const char *line, const char *end,
			   const char **framework)
{
	const char *value = quoted_value(line, end, "name");
	const char *rev;

	if (value) {
		*framework = framework_of(value, strcspn(value, "\""));
		return;
	}
	if (!*framework)
		return;
	value = quoted_value(line, end, "version");
	if (value)
		add(scan, *framework, value);
	rev = text_starts(line, "source") ? find(line, end, "rev=") : NULL;
	if (rev)
		add(scan, *framework, rev + 4);
}

static void read_file(struct scan *scan, const char *path, bool lock)
{
	struct io_text text = { 0 };
	const char *line, *end, *framework = NULL;

	if (!io_exists(path))
		return;
	text = bounds_read(scan->arena, scan->bounds, path, FILE_BYTES);
	if (!text.text)
		return;
	scan->source = source_new(scan->arena, path, text.text, text.length);
	for (line = text.text; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		if (lock)
			read_lock_line(scan, line, end, &framework);
		else
			read_line(scan, line, end);
	}
}

bool requirements_paths(const struct document *document, const char *paths[REQUIREMENTS])
{
	static const char *const names[REQUIREMENTS] = { "requirements.txt", "pyproject.toml",
							 "uv.lock" };
	const char *path = document->source->place;
	const char *slash = strrchr(path, '/');
	size_t i;

	if (path[0] == '<')
		return false;
	for (i = 0; i < REQUIREMENTS; i++)
		paths[i] = arena_printf(document->arena, "%.*s%s",
					slash ? (int)(slash - path) + 1 : 0, path, names[i]);
	return true;
}

void requirements_pins(struct pins *pins, const struct document *document)
{
	struct scan scan = { pins, document->arena, NULL, document->bounds };
	const char *paths[REQUIREMENTS];
	size_t i;

	if (!requirements_paths(document, paths))
		return;
	for (i = 0; i < REQUIREMENTS; i++)
		read_file(&scan, paths[i], text_ends(paths[i], ".lock"));
}
