#include "evidence/hang/places.h"

#include <ctype.h>
#include <string.h>

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The folder a file lies in, without those around it; its length is 0 where there is none. */
static const char *folder_of(const char *path, size_t *length)
{
	const char *end = base_of(path), *start;

	*length = 0;
	if (end == path)
		return path;
	end--;
	for (start = end; start > path && start[-1] != '/';)
		start--;
	*length = (size_t)(end - start);
	return start;
}

/* A letter first and a digit or a dash in it; "step_100" and "rank_3" are no hosts. */
static bool is_host(const char *name, size_t length)
{
	size_t i;
	bool numbered = false;

	if (!length || !isalpha((unsigned char)*name) || memchr(name, '_', length) ||
	    (length >= 4 && !memcmp(name, "rank", 4)) || (length >= 4 && !memcmp(name, "step", 4)))
		return false;
	for (i = 0; i < length; i++)
		numbered = numbered || isdigit((unsigned char)name[i]);
	return numbered;
}

/* "gpu-b02" of "rank11-gpu-b02.txt" */
static void by_name(struct hang_facts *facts, const struct rank_file *file)
{
	const char *at = strstr(base_of(file->path), "rank");
	size_t length;

	if (!at)
		return;
	at += strlen("rank");
	at += strspn(at, "_-");
	at += strspn(at, "0123456789");
	if (!*at || !strchr("-_.@", *at))
		return;
	at++;
	length = strcspn(at, ".");
	if (is_host(at, length))
		hang_facts_place(facts, file->rank, at, length, -1);
}

void hang_places_of_files(struct hang_facts *facts, const struct rank_file *files, size_t count)
{
	size_t i, length, first = 0;
	const char *folder, *one = NULL;
	bool several = false;

	for (i = 0; i < count; i++) {
		if (files[i].rank < 0)
			continue;
		by_name(facts, &files[i]);
		folder = folder_of(files[i].path, &length);
		if (!one) {
			one = folder;
			first = length;
		}
		several = several || length != first || memcmp(one, folder, length) != 0;
	}
	for (i = 0; several && i < count; i++) {
		folder = folder_of(files[i].path, &length);
		if (files[i].rank >= 0 && is_host(folder, length))
			hang_facts_place(facts, files[i].rank, folder, length, -1);
	}
}
