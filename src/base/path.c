#include "base/path.h"

#include "base/buf.h"
#include "base/die.h"

#include <string.h>
#include <unistd.h>

enum { FOLDER_BYTES = 4096 }; /* PATH_MAX of Linux */

/* Takes the last part off a path that begins with a slash. */
static void drop_part(struct buf *out)
{
	if (!out->length)
		return;
	while (out->length && out->data[--out->length] != '/')
		;
	out->data[out->length] = '\0';
}

/* Appends the parts of `path` to a path without a slash at its end. */
static void add_parts(struct buf *out, const char *path)
{
	size_t length;

	for (; *path; path += length) {
		path += strspn(path, "/");
		length = strcspn(path, "/");
		if (!length || (length == 1 && *path == '.'))
			continue;
		if (length == 2 && !strncmp(path, "..", 2)) {
			drop_part(out);
			continue;
		}
		buf_char(out, '/');
		buf_bytes(out, path, length);
	}
}

const char *path_absolute(struct arena *arena, const char *path)
{
	char here[FOLDER_BYTES];
	struct buf out;
	const char *text;

	buf_init(&out);
	if (*path != '/') {
		if (!getcwd(here, sizeof(here)))
			die("the current folder cannot be told: its path is gone or too long");
		add_parts(&out, here);
	}
	add_parts(&out, path);
	text = arena_strdup(arena, out.length ? out.data : "/");
	buf_release(&out);
	return text;
}

bool path_within(const char *folder, const char *path)
{
	size_t length = strlen(folder);

	if (!strcmp(folder, "/"))
		return true;
	return !strncmp(folder, path, length) && (!path[length] || path[length] == '/');
}

const char *path_relative(struct arena *arena, const char *folder, const char *path)
{
	const char *to = path_absolute(arena, path), *rest;
	char *from = arena_strdup(arena, path_absolute(arena, folder)), *slash;
	const char *up = "";

	while (!path_within(from, to)) {
		slash = strrchr(from, '/');
		slash[slash == from] = '\0'; /* the root keeps its slash */
		up = arena_join(arena, up, "../", "");
	}
	rest = to + (strcmp(from, "/") != 0 ? strlen(from) : 0);
	rest += *rest == '/';
	if (*rest || !*up)
		return arena_join(arena, up, *rest ? rest : ".", "");
	return arena_strndup(arena, up, strlen(up) - 1);
}

const char *path_folder(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return ".";
	return slash == path ? "/" : arena_strndup(arena, path, (size_t)(slash - path));
}

const char *path_moved(struct arena *arena, const char *folder, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length = strlen(folder);

	while (length && folder[length - 1] == '/')
		length--;
	return arena_printf(arena, "%.*s/%s", (int)length, folder, slash ? slash + 1 : path);
}

const char *path_join(struct arena *arena, const char *folder, const char *name)
{
	if (*name == '/' || !strcmp(folder, "."))
		return name;
	return arena_join(arena, folder, !strcmp(folder, "/") ? "" : "/", name);
}
