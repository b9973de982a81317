#include "base/ignored.h"

#include "base/bounds.h"
#include "base/buf.h"
#include "base/glob.h"
#include "base/io.h"
#include "base/path.h"
#include "base/pattern.h"
#include "base/text.h"
#include "base/vec.h"

#include <string.h>

enum { IGNORED_BYTES = 256 * 1024, IGNORED_LINES = 4096 };

struct line {
	struct pattern *pattern;
	bool back;    /* "!": what it matches is not left out */
	bool folders; /* "/" at its end: it means folders alone */
};

struct ignored {
	struct ignored *above;
	const char *folder;
	VEC(struct line) lines;
};

/* The length of a line without the blanks at its end, but for one behind a backslash. */
static size_t trimmed(const char *text, size_t length)
{
	if (length && text[length - 1] == '\r')
		length--;
	while (length && text[length - 1] == ' ' && (length < 2 || text[length - 2] != '\\'))
		length--;
	return length;
}

/* A line without its backslashes: the character behind one stands for itself. */
static const char *unescaped(struct arena *arena, const char *text)
{
	struct buf out;

	if (!strchr(text, '\\'))
		return text;
	buf_init(&out);
	for (; *text; text++) {
		const bool escape = *text == '\\' && text[1];
		if (escape)
			text++;
		if (escape && strchr("*?[", *text))
			buf_printf(&out, "[%c]", *text);
		else
			buf_char(&out, *text);
	}
	text = arena_strdup(arena, out.data);
	buf_release(&out);
	return text;
}

static void add_line(struct ignored *ignored, struct arena *arena, const char *text, size_t length)
{
	struct line line = { 0 };
	struct pattern_error error;

	length = trimmed(text, length);
	if (!length || *text == '#')
		return;
	line.back = *text == '!';
	text = arena_strndup(arena, text + line.back, length - line.back);
	line.folders = text_ends(text, "/");
	line.pattern = glob_compile(arena, unescaped(arena, text), false, &error);
	if (line.pattern)
		vec_push(arena, &ignored->lines, line);
}

struct ignored *ignored_of(struct arena *arena, struct ignored *above, const char *folder,
			   const char **trouble)
{
	const char *path = path_join(arena, folder, ".gitignore"), *at;
	struct io_text text;
	struct ignored *ignored;
	size_t length;

	*trouble = NULL;
	if (!io_exists(path))
		return above;
	text = io_read_regular(arena, path, IGNORED_BYTES);
	if (!text.text) {
		*trouble = arena_printf(arena, "cannot read '%s': %s", path, text.error);
		return above;
	}
	ignored = arena_new(arena, struct ignored);
	*ignored = (struct ignored) { .above = above, .folder = folder };
	for (at = text.text; *at && ignored->lines.count < IGNORED_LINES; at += length) {
		at += strspn(at, "\n");
		length = strcspn(at, "\n");
		add_line(ignored, arena, at, length);
	}
	return ignored;
}

struct ignored *ignored_above(struct arena *arena, const char *folder, const char **trouble)
{
	const char *root = bounds_repository(arena, folder), *at;
	struct ignored *ignored = NULL;
	size_t length;

	*trouble = NULL;
	if (!root)
		return NULL;
	for (at = folder + strlen(root); *at && !*trouble; at += length) {
		length = strspn(at, "/") + strcspn(at + strspn(at, "/"), "/");
		ignored = ignored_of(arena, ignored,
				     arena_strndup(arena, folder, (size_t)(at - folder)), trouble);
	}
	return ignored;
}

bool ignored_holds(const struct ignored *ignored, struct arena *arena, const char *path,
		   bool is_folder)
{
	size_t i;

	for (; ignored; ignored = ignored->above) {
		const char *name = path + strlen(ignored->folder);
		name += *name == '/';
		for (i = ignored->lines.count; i > 0; i--) {
			const struct line *line = &ignored->lines.items[i - 1];
			if ((is_folder || !line->folders) && glob_finds(line->pattern, arena, name))
				return !line->back;
		}
	}
	return false;
}

void ignored_release(const struct ignored *ignored, const struct ignored *until)
{
	size_t i;

	for (; ignored != until; ignored = ignored->above)
		for (i = 0; i < ignored->lines.count; i++)
			pattern_release(ignored->lines.items[i].pattern);
}
