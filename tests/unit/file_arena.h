#ifndef TESTS_UNIT_FILE_ARENA_H
#define TESTS_UNIT_FILE_ARENA_H

#include "base/arena.h"

/* The arena that all functions of a file of tests share: set-up and tear-down. */
static struct arena arena;

static inline int begin(void **state)
{
	(void)state;
	arena_init(&arena);
	return 0;
}

static inline int end(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

#endif
