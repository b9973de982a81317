#include "evidence/folder.h"

#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool folder_is(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

bool folder_regular(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

static size_t digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* The order of two numbers at the start of both, which they move behind. */
static int by_number(const char **left, const char **right)
{
	const char *a = *left + strspn(*left, "0"), *b = *right + strspn(*right, "0");
	const size_t length_a = digits(a), length_b = digits(b);

	*left = a + length_a;
	*right = b + length_b;
	if (length_a != length_b)
		return length_a < length_b ? -1 : 1;
	return memcmp(a, b, length_a);
}

static int by_name(const void *left, const void *right)
{
	const char *const a = *(const char *const *)left, *const b = *(const char *const *)right;
	const char *at = a, *to = b;
	int order = 0;

	while (!order && *at && *to) {
		if (digits(at) && digits(to))
			order = by_number(&at, &to);
		else
			order = (unsigned char)*at++ - (unsigned char)*to++;
	}
	if (!order)
		order = (*at != '\0') - (*to != '\0');
	return order ? order : strcmp(a, b);
}

static void sort(struct folder *folder, size_t from)
{
	if (folder->files.count > from)
		qsort(folder->files.items + from, folder->files.count - from,
		      sizeof(*folder->files.items), by_name);
}

/* Adds the files of a folder, and the folders in it to `inner`. */
static const char *list(struct folder *folder, struct folder *inner, struct arena *arena,
			const char *path)
{
	const size_t from = folder->files.count;
	DIR *opened = opendir(path);
	const struct dirent *entry;
	struct stat status;

	if (!opened)
		return arena_strdup(arena, strerror(errno));
	while ((entry = readdir(opened))) {
		const char *file = path_join(arena, path, entry->d_name);
		if (folder_regular(file))
			vec_push(arena, &folder->files, file);
		else if (*entry->d_name != '.' && !lstat(file, &status) && S_ISDIR(status.st_mode))
			vec_push(arena, &inner->files, file);
	}
	closedir(opened);
	sort(folder, from);
	return NULL;
}

const char *folder_tree(struct folder *folder, struct arena *arena, const char *path)
{
	struct folder inner = { 0 };
	const char *error = list(folder, &inner, arena, path);
	size_t i;

	sort(&inner, 0);
	for (i = 0; i < inner.files.count && !error; i++)
		error = folder_tree(folder, arena, inner.files.items[i]);
	return error;
}
