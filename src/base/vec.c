#include "base/vec.h"

#include <string.h>

void *vec_room(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size)
{
	void *grown;

	if (count < *capacity)
		return items;
	*capacity = *capacity ? *capacity * 2 : 8;
	grown = arena_array(arena, *capacity, size);
	if (count)
		memcpy(grown, items, count * size);
	return grown;
}
