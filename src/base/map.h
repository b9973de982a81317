#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * String to index, open addressing, in an arena. Keys are not copied and must
 * outlive the map. Zero-initialised (with `arena` set) is empty.
 */
struct map {
	struct arena *arena;
	struct map_slot *slots;
	size_t count, capacity;
};

/* Remembers `index` under `key`; false (and no change) if the key is there already. */
bool map_add(struct map *map, const char *key, uint32_t index);

/* The index under `key`, or -1. */
int64_t map_find(const struct map *map, const char *key);

#endif
