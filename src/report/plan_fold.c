#include "report/plan_fold.h"

#include "plan/compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void fold_init(struct fold *fold, struct arena *arena)
{
	memset(fold, 0, sizeof(*fold));
	fold->arena = arena;
	fold->map.arena = arena;
}

/* The number that the pattern's star stands for; 0 without a star. */
static int64_t block_number(const char *pattern, const char *name)
{
	size_t star = strcspn(pattern, "*");

	return pattern[star] ? strtoll(name + star, NULL, 10) : 0;
}

static void extend(struct fold_row *row, int64_t number)
{
	int64_t step = number - row->last;

	if (row->count == 1)
		row->step = step > 0 ? step : -1;
	else if (row->step != step)
		row->step = -1;
	row->last = number;
	row->count++;
}

void fold_add(struct fold *fold, const char *name, const char *what, size_t at)
{
	const char *pattern = layer_pattern(fold->arena, name);
	const char *key = arena_printf(fold->arena, "%s\n%s", pattern, what);
	int64_t number = block_number(pattern, name), found = map_find(&fold->map, key);
	struct fold_row row = { pattern, number, number, 0, 1, at };

	if (found >= 0) {
		extend(&fold->rows.items[found], number);
		return;
	}
	map_add(&fold->map, key, (uint32_t)fold->rows.count);
	vec_push(fold->arena, &fold->rows, row);
}

char *fold_name(struct arena *arena, const struct fold_row *row)
{
	int star = (int)strcspn(row->pattern, "*");
	const char *rest = row->pattern + star, *numbers = "*";

	if (!*rest)
		return arena_strdup(arena, row->pattern);
	if (row->count == 1)
		numbers = arena_printf(arena, "%" PRId64, row->first);
	else if (row->step == 1)
		numbers = arena_printf(arena, "%" PRId64 "-%" PRId64, row->first, row->last);
	else if (row->step > 1 && row->count > 2)
		numbers = arena_printf(arena, "%" PRId64 ",%" PRId64 ",..,%" PRId64, row->first,
				       row->first + row->step, row->last);
	else if (row->count == 2)
		numbers = arena_printf(arena, "%" PRId64 ",%" PRId64, row->first, row->last);
	return arena_printf(arena, "%.*s%s%s", star, row->pattern, numbers, rest + 1);
}
