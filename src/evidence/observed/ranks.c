#include "evidence/observed/ranks.h"

#include "base/text.h"
#include "base/vec.h"
#include "input/node.h"

#include <stdlib.h>
#include <string.h>

enum { RANK_DIGITS = 9 };

struct gathered {
	VEC(int64_t) ranks;
};

static int by_value(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

/* Rising, each once. */
static struct rank_list settle(struct gathered *gathered)
{
	int64_t *ranks = gathered->ranks.items;
	size_t i, kept = 0;

	if (!gathered->ranks.count)
		return (struct rank_list) { 0 };
	qsort(ranks, gathered->ranks.count, sizeof(*ranks), by_value);
	for (i = 0; i < gathered->ranks.count; i++)
		if (!kept || ranks[kept - 1] != ranks[i])
			ranks[kept++] = ranks[i];
	return (struct rank_list) { ranks, (int64_t)kept };
}

static struct rank_list of_text(struct arena *arena, const char *at)
{
	struct gathered gathered = { 0 };
	int64_t rank;

	at += strspn(at, "[( ");
	while (text_digits(&at, RANK_DIGITS, &rank)) {
		vec_push(arena, &gathered.ranks, rank);
		at += strspn(at, ", ");
	}
	if (at[strspn(at, " )]")])
		return (struct rank_list) { 0 };
	return settle(&gathered);
}

struct rank_list rank_list_of(struct arena *arena, const struct node *node)
{
	struct gathered gathered = { 0 };
	const struct node *item;

	if (node && node->kind == NODE_SCALAR && node->type == SCALAR_STRING)
		return of_text(arena, node->text);
	if (!node || node->kind != NODE_LIST)
		return (struct rank_list) { 0 };
	for (item = node->first; item; item = item->next) {
		if (item->kind != NODE_SCALAR || item->type != SCALAR_INT || item->integer < 0 ||
		    item->integer > 999999999)
			return (struct rank_list) { 0 };
		vec_push(arena, &gathered.ranks, item->integer);
	}
	return settle(&gathered);
}

bool rank_list_holds(const struct rank_list *list, int64_t rank)
{
	return !list->ranks ||
	       bsearch(&rank, list->ranks, (size_t)list->count, sizeof(rank), by_value) != NULL;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int64_t rank_of_name(const char *path)
{
	const char *at = name_of(path);
	int64_t rank = -1, found;

	while ((at = strstr(at, "rank"))) {
		at += strlen("rank");
		at += *at == '_' || *at == '-';
		if (text_digits(&at, RANK_DIGITS, &found))
			rank = found;
	}
	return rank;
}

int64_t rank_at_end(const char *path)
{
	static const char *const extensions[] = {
		".gz", ".zst", ".json", ".pkl", ".bin", ".pickle"
	};
	const char *name = name_of(path), *at;
	size_t length = strlen(name), i;
	int64_t rank;

	for (i = 0; i < sizeof(extensions) / sizeof(*extensions); i++) {
		size_t size = strlen(extensions[i]);
		if (length > size && !strncmp(name + length - size, extensions[i], size))
			length -= size;
	}
	for (at = name + length; at > name && at[-1] >= '0' && at[-1] <= '9';)
		at--;
	return text_digits(&at, RANK_DIGITS, &rank) && at == name + length ? rank : -1;
}
