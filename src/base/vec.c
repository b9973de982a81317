#include "base/vec.h"

#include <string.h>

void *vec_space(struct arena *arena, void *items, size_t count, size_t *capacity, size_t total,
		size_t size)
{
	void *grown;

	if (total <= *capacity)
		return items;
	*capacity = total;
	grown = arena_array(arena, total, size);
	if (count)
		memcpy(grown, items, count * size);
	return grown;
}

void *vec_room(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return items;
	return vec_space(arena, items, count, capacity, *capacity ? *capacity * 2 : 8, size);
}
