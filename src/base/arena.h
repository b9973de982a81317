#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

/*
 * A bump allocator. Everything that lives as long as one document, one plan or
 * one function call shares an arena and is released with it; domain code never
 * calls free. Running out of memory ends the program (die, exit 2).
 */
struct arena {
	struct arena_chunk *chunks; /* newest first */
};

void arena_init(struct arena *arena);
void arena_release(struct arena *arena);

/* Zeroed memory, aligned for any type; never NULL, also for size 0. */
void *arena_alloc(struct arena *arena, size_t size);

/* Zeroed array of `count` elements; dies when count * size overflows. */
void *arena_array(struct arena *arena, size_t count, size_t size);

char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
/* The three texts, one behind the other. */
char *arena_join(struct arena *arena, const char *a, const char *b, const char *c);

char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

#define arena_new(arena, type) ((type *)arena_alloc((arena), sizeof(type)))

#endif
