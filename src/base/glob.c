#include "base/glob.h"

#include "base/buf.h"
#include "base/pattern.h"
#include "base/text.h"

#include <string.h>

/* A bracket expression at `glob`; returns the bytes it takes, 0 when it is not closed. */
static size_t put_class(struct buf *out, const char *glob)
{
	bool other = glob[1] == '!' || glob[1] == '^';
	const char *first = glob + 1 + other, *close = *first ? strchr(first + 1, ']') : NULL;

	if (!close)
		return 0;
	buf_text(out, other ? "[^/" : "[");
	for (; first < close; first++) {
		if (strchr("\\[]^", *first))
			buf_char(out, '\\');
		buf_char(out, *first);
	}
	buf_char(out, ']');
	return (size_t)(close - glob) + 1;
}

/* Stars at `glob`, which stands at the start of a part or not; returns the bytes they take. */
static size_t put_stars(struct buf *out, const char *glob, bool begins)
{
	size_t stars = strspn(glob, "*");

	if (stars < 2) {
		buf_text(out, "[^/]*");
		return stars;
	}
	if (begins && glob[stars] == '/') {
		buf_text(out, "(?:.*/)?");
		return stars + 1;
	}
	buf_text(out, ".*");
	return stars;
}

/* The bytes that one step takes. */
static size_t put_step(struct buf *out, const char *glob, bool begins)
{
	size_t length = 0;

	if (*glob == '*')
		return put_stars(out, glob, begins);
	if (*glob == '[')
		length = put_class(out, glob);
	if (length)
		return length;
	if (*glob == '?')
		buf_text(out, "[^/]");
	else if (strchr("\\.[]{}()+^$|", *glob))
		buf_char(out, '\\');
	if (*glob != '?')
		buf_char(out, *glob);
	return 1;
}

struct pattern *glob_compile(struct arena *arena, const char *glob, bool below,
			     struct pattern_error *error)
{
	const char *slash = strchr(glob, '/'), *at = glob + (*glob == '/');
	size_t length = strlen(glob);
	struct pattern *pattern;
	struct buf out;

	buf_init(&out);
	buf_text(&out, slash && slash[1] ? "(?s)\\A(?:" : "(?s)\\A(?:.*/)?(?:");
	if (length > 1 && glob[length - 1] == '/')
		glob = arena_strndup(arena, at, strlen(at) - 1);
	else
		glob = at;
	for (at = glob; *at;)
		at += put_step(&out, at, at == glob || at[-1] == '/');
	buf_text(&out, below ? ")(?:/.*)?\\z" : ")\\z");
	pattern = pattern_compile(arena, out.data, error);
	buf_release(&out);
	return pattern;
}

/* A name as patterns can read it: bytes that are no UTF-8 are U+FFFD, one character each. */
static const char *readable(struct arena *arena, const char *path)
{
	size_t bad;
	struct buf out;

	if (text_is_utf8(path, strlen(path), &bad))
		return path;
	buf_init(&out);
	while (!text_is_utf8(path, strlen(path), &bad)) {
		buf_bytes(&out, path, bad);
		buf_text(&out, "\xEF\xBF\xBD");
		path += bad + 1;
	}
	path = arena_join(arena, out.data, path, "");
	buf_release(&out);
	return path;
}

bool glob_finds(struct pattern *pattern, struct arena *arena, const char *path)
{
	return pattern_finds(pattern, readable(arena, path));
}

bool glob_matches(struct arena *arena, const char *glob, const char *path)
{
	struct pattern_error error;
	struct pattern *pattern = glob_compile(arena, glob, true, &error);
	bool matches;

	if (!pattern)
		return false;
	matches = glob_finds(pattern, arena, path);
	pattern_release(pattern);
	return matches;
}

const char *glob_trouble(struct arena *arena, const char *glob)
{
	struct pattern_error error = { 0 };
	struct pattern *pattern;

	if (!*glob)
		return "it is empty";
	pattern = glob_compile(arena, glob, true, &error);
	if (!pattern)
		return error.message;
	pattern_release(pattern);
	return NULL;
}
