#define _XOPEN_SOURCE 700 /* realpath; NOLINT(bugprone-reserved-identifier) */
#include "base/bounds.h"

#include "base/path.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

const char bounds_outside[] = "it lies outside the repository (or, without one, outside the "
			      "folder of the file that names it; of a script, the folder above), "
			      "and only --allow-outside "
			      "reads it";

/* The real path, in the arena; NULL when there is no such file. */
static const char *real_path(struct arena *arena, const char *path)
{
	char *real = realpath(path, NULL);
	const char *copy = real ? arena_strdup(arena, real) : NULL;

	free(real);
	return copy;
}

const char *bounds_repository(struct arena *arena, const char *folder)
{
	while (!io_exists(path_join(arena, folder, ".git"))) {
		if (!strcmp(folder, "/"))
			return NULL;
		folder = path_folder(arena, folder);
	}
	return folder;
}

/* The repository of a path as it is written, else of where its folder really lies. */
static const char *repository_of(struct arena *arena, const char *path)
{
	const char *folder = path_folder(arena, path_absolute(arena, path));
	const char *root = bounds_repository(arena, folder), *real;

	if (root)
		return real_path(arena, root);
	real = real_path(arena, folder);
	return real ? bounds_repository(arena, real) : NULL;
}

/* Scripts commonly lie in a folder of their own, beside that of the configs they name. */
static bool is_script(const char *path)
{
	static const char *const endings[] = { ".sh", ".bash", ".slurm", ".sbatch" };
	size_t i;

	for (i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (text_ends(path, endings[i]))
			return true;
	return false;
}

const char *bounds_of(struct arena *arena, const char *path)
{
	const char *root = repository_of(arena, path), *folder, *above;

	if (root)
		return root;
	folder = path_folder(arena, path_absolute(arena, path));
	above = path_folder(arena, folder);
	return real_path(arena, is_script(path) && strcmp(above, "/") != 0 ? above : folder);
}

static bool is_within(const char *bounds, const char *real)
{
	static const char *const systems[] = { "/proc", "/sys", "/dev" };
	const char *rest = real + (strcmp(bounds, "/") ? strlen(bounds) : 0);
	size_t i;

	if (!path_within(bounds, real))
		return false;
	for (i = 0; i < sizeof(systems) / sizeof(*systems); i++)
		if (path_within(systems[i], real))
			return false;
	for (rest = strstr(rest, "/.git"); rest; rest = strstr(rest + 1, "/.git"))
		if (rest[5] == '/' || !rest[5])
			return false;
	return true;
}

bool bounds_hold(const char *bounds, const char *path)
{
	struct arena arena;
	const char *real;
	bool held;

	if (!bounds)
		return true;
	arena_init(&arena);
	real = real_path(&arena, path);
	held = is_within(bounds, real ? real : path_absolute(&arena, path));
	arena_release(&arena);
	return held;
}

struct io_text bounds_read(struct arena *arena, const char *bounds, const char *path, size_t limit)
{
	if (!bounds_hold(bounds, path))
		return (struct io_text) { .error = bounds_outside, .outside = true };
	return io_read_regular(arena, path, limit);
}

const char *bounds_leave(struct arena *arena, const char *path)
{
	const char *root = repository_of(arena, path);

	if (!root || !path_within(root, path_absolute(arena, path)) || bounds_hold(root, path))
		return NULL;
	return "it is a link that leads out of its repository, and only --allow-outside reads it";
}
