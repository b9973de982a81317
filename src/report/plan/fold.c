#include "report/plan/fold.h"

#include "plan/compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RANGES = 3 };

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

void fold_add(struct fold *fold, const char *name, const char *what, size_t at)
{
	const char *pattern = layer_pattern(fold->arena, name);
	const char *key = arena_printf(fold->arena, "%s\n%s", pattern, what);
	int64_t found = map_find(&fold->map, key);
	struct fold_row row = { .pattern = pattern, .at = at };

	if (found < 0) {
		found = (int64_t)fold->rows.count;
		map_add(&fold->map, key, (uint32_t)found);
		vec_push(fold->arena, &fold->rows, row);
	}
	vec_push(fold->arena, &fold->rows.items[found].numbers, block_number(pattern, name));
}

/* How far apart the numbers are, or 0 when that varies. */
static int64_t even_step(const struct fold_row *row)
{
	const int64_t *numbers = row->numbers.items;
	int64_t step = row->numbers.count > 1 ? numbers[1] - numbers[0] : 0;
	size_t i;

	for (i = 2; i < row->numbers.count; i++)
		if (numbers[i] - numbers[i - 1] != step)
			return 0;
	return step;
}

/* "0-6,63-70"; "*" for more than RANGES ranges. */
static char *ranges_text(struct arena *arena, const struct fold_row *row)
{
	const int64_t *numbers = row->numbers.items;
	size_t count = row->numbers.count, first, last, ranges = 0;
	char *text = arena_strdup(arena, "");

	for (first = 0; first < count; first = last + 1) {
		last = first;
		while (last + 1 < count && numbers[last + 1] == numbers[last] + 1)
			last++;
		if (++ranges > RANGES)
			return arena_strdup(arena, "*");
		text = arena_printf(arena, "%s%s%" PRId64, text, *text ? "," : "", numbers[first]);
		if (last > first)
			text = arena_printf(arena, "%s-%" PRId64, text, numbers[last]);
	}
	return text;
}

char *fold_name(struct arena *arena, const struct fold_row *row)
{
	const int64_t *numbers = row->numbers.items;
	size_t count = row->numbers.count;
	int star = (int)strcspn(row->pattern, "*");
	const char *rest = row->pattern + star;
	int64_t step = even_step(row);
	char *text;

	if (!*rest)
		return arena_strdup(arena, row->pattern);
	if (step > 1 && count > 3)
		text = arena_printf(arena, "%" PRId64 ",%" PRId64 ",..,%" PRId64, numbers[0],
				    numbers[1], numbers[count - 1]);
	else
		text = ranges_text(arena, row);
	return arena_printf(arena, "%.*s%s%s", star, row->pattern, text, rest + 1);
}
