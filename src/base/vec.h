#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/arena.h"

#include <stddef.h>

/*
 * A growable array in an arena: `VEC(struct mesh) meshes;` zero-initialised is
 * empty. Growing leaves the old block behind in the arena, so pointers into
 * the array are good only until the next push.
 */
#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count, capacity;                                                            \
	}

/* Appends `value`; evaluates `vec` more than once. */
#define vec_push(arena, vec, value)                                                                \
	((vec)->items = vec_room((arena), (vec)->items, (vec)->count, &(vec)->capacity,            \
				 sizeof(*(vec)->items)),                                           \
	 (void)((vec)->items[(vec)->count++] = (value)))

/* Makes room for `total` elements at once, where their number is known. */
#define vec_reserve(arena, vec, total)                                                             \
	((vec)->items = vec_space((arena), (vec)->items, (vec)->count, &(vec)->capacity, (total),  \
				  sizeof(*(vec)->items)))
void *vec_space(struct arena *arena, void *items, size_t count, size_t *capacity, size_t total,
		size_t size);

/* Makes room for one more element and returns where the array now is. */
void *vec_room(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size);

#endif
