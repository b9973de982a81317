#include "base/map.h"

#include <stdbool.h>
#include <string.h>

struct map_slot {
	const char *key; /* NULL: free */
	uint32_t hash, index;
};

static uint32_t hash_text(const char *text)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

/* The slot that holds `key`, or the free one where it belongs. */
static struct map_slot *slot_of(const struct map *map, const char *key, uint32_t hash)
{
	size_t at = hash & (map->capacity - 1);

	while (map->slots[at].key &&
	       (map->slots[at].hash != hash || strcmp(map->slots[at].key, key) != 0))
		at = (at + 1) & (map->capacity - 1);
	return &map->slots[at];
}

static void grow(struct map *map)
{
	struct map old = *map;
	size_t i;

	map->capacity = old.capacity ? old.capacity * 2 : 16;
	map->slots = arena_array(map->arena, map->capacity, sizeof(*map->slots));
	for (i = 0; i < old.capacity; i++)
		if (old.slots[i].key)
			*slot_of(map, old.slots[i].key, old.slots[i].hash) = old.slots[i];
}

bool map_add(struct map *map, const char *key, uint32_t index)
{
	uint32_t hash = hash_text(key);
	struct map_slot *slot;

	if (map->count * 4 >= map->capacity * 3)
		grow(map);
	slot = slot_of(map, key, hash);
	if (slot->key)
		return false;
	slot->key = key;
	slot->hash = hash;
	slot->index = index;
	map->count++;
	return true;
}

int64_t map_find(const struct map *map, const char *key)
{
	const struct map_slot *slot;

	if (!map->capacity)
		return -1;
	slot = slot_of(map, key, hash_text(key));
	return slot->key ? (int64_t)slot->index : -1;
}
