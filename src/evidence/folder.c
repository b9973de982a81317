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

const char *folder_list(struct folder *folder, struct arena *arena, const char *path)
{
	DIR *opened = opendir(path);
	const struct dirent *entry;

	if (!opened)
		return arena_strdup(arena, strerror(errno));
	while ((entry = readdir(opened))) {
		const char *file = path_join(arena, path, entry->d_name);
		if (folder_regular(file))
			vec_push(arena, &folder->files, file);
	}
	closedir(opened);
	if (folder->files.count)
		qsort(folder->files.items, folder->files.count, sizeof(*folder->files.items),
		      by_name);
	return NULL;
}
