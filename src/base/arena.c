#include "base/arena.h"

#include "base/die.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A torture build uses tiny chunks so that every allocation starts one. */
#ifndef ARENA_CHUNK
#define ARENA_CHUNK (64 * 1024)
#endif

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	alignas(max_align_t) unsigned char data[];
};

void arena_init(struct arena *arena)
{
	arena->chunks = NULL;
}

void arena_release(struct arena *arena)
{
	struct arena_chunk *chunk = arena->chunks;

	while (chunk) {
		struct arena_chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
	arena->chunks = NULL;
}

static struct arena_chunk *chunk_new(size_t size)
{
	size_t room = size > ARENA_CHUNK ? size : ARENA_CHUNK;
	struct arena_chunk *chunk = malloc(sizeof(*chunk) + room);

	if (!chunk)
		die_out_of_memory();
	chunk->next = NULL;
	chunk->used = 0;
	chunk->size = room;
	return chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct arena_chunk *chunk = arena->chunks;

	if (size > SIZE_MAX / 2)
		die_out_of_memory();
	size = (size + align - 1) / align * align;
	if (!size)
		size = align;
	if (!chunk || chunk->size - chunk->used < size) {
		struct arena_chunk *fresh = chunk_new(size);
		/* An oversized block goes behind the current chunk, whose room stays in use. */
		if (chunk && size > ARENA_CHUNK / 4) {
			fresh->next = chunk->next;
			chunk->next = fresh;
		} else {
			fresh->next = chunk;
			arena->chunks = fresh;
		}
		chunk = fresh;
	}
	chunk->used += size;
	/* Zeroed here, not with the chunk: pages that are never used are never touched. */
	return memset(chunk->data + chunk->used - size, 0, size);
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / 2 / size)
		die_out_of_memory();
	return arena_alloc(arena, count * size);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	memcpy(copy, text, length);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_join(struct arena *arena, const char *a, const char *b, const char *c)
{
	size_t first = strlen(a), second = strlen(b), third = strlen(c);
	char *text = arena_alloc(arena, first + second + third + 1);

	memcpy(text, a, first);
	memcpy(text + first, b, second);
	memcpy(text + first + second, c, third);
	return text;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
	char brief[256]; /* most texts fit: formatting twice is only for the others */
	va_list again;
	int length;
	char *text;

	va_copy(again, args);
	length = vsnprintf(brief, sizeof(brief), format, again);
	va_end(again);
	if (length < 0)
		bug("unprintable format '%s'", format);
	if ((size_t)length < sizeof(brief))
		return arena_strndup(arena, brief, (size_t)length);
	text = arena_alloc(arena, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, args);
	return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = arena_vprintf(arena, format, args);
	va_end(args);
	return text;
}
