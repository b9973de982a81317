#ifndef TESTS_UNIT_ARENA_H
#define TESTS_UNIT_ARENA_H

#include "base/arena.h"

/* An arena per test, which finds it in *state: set-up and tear-down. */

static inline int open_arena(void **state)
{
	static struct arena arena;

	arena_init(&arena);
	*state = &arena;
	return 0;
}

static inline int close_arena(void **state)
{
	arena_release(*state);
	return 0;
}

#endif
