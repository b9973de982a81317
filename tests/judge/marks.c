#include "judge.h"

#include <stdlib.h>
#include <string.h>

void marks_add(struct arena *arena, struct marks *marks, int64_t line, const char *rule)
{
	const struct mark mark = { line, rule };

	vec_push(arena, &marks->list, mark);
}

static int compare(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return strcmp(a->rule, b->rule);
}

void marks_sort(struct marks *marks)
{
	struct mark *items = marks->list.items;
	size_t i, kept = 0;

	if (!marks->list.count)
		return;
	qsort(items, marks->list.count, sizeof(*items), compare);
	for (i = 0; i < marks->list.count; i++)
		if (!kept || compare(&items[kept - 1], &items[i]) != 0)
			items[kept++] = items[i];
	marks->list.count = kept;
}

bool marks_hold(const struct marks *marks, const struct mark *mark)
{
	size_t i;

	for (i = 0; i < marks->list.count; i++)
		if (!compare(&marks->list.items[i], mark))
			return true;
	return false;
}

bool marks_equal(const struct marks *a, const struct marks *b)
{
	size_t i;

	for (i = 0; i < a->list.count; i++)
		if (!marks_hold(b, &a->list.items[i]))
			return false;
	return a->list.count == b->list.count;
}
