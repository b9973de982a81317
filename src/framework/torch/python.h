#ifndef FRAMEWORK_TORCH_PYTHON_H
#define FRAMEWORK_TORCH_PYTHON_H

#include "base/arena.h"

#include <stdint.h>

/*
 * Values as Python prints them, for exception texts that must be exact to the character.
 */

/* Strings are quoted as repr does: 'x', or "it's" when the text holds ' and no ". */

/* ('a', 'b'), with the comma of a 1-tuple: ('a',). */
char *python_tuple(struct arena *arena, const char *const *items, int count);

/* ['a', 'b']. */
char *python_list(struct arena *arena, const char *const *items, int count);

/* (2, 4), with the comma of a 1-tuple: (2,). */
char *python_ints(struct arena *arena, const int64_t *items, int count);

/* torch.Size([2, 4]). */
char *python_size(struct arena *arena, const int64_t *items, int count);

/*
 * str(exception) of an exception of that type with those arguments: the argument itself when there
 * is one (its repr for KeyError), else the tuple of their reprs.
 */
char *python_exception(struct arena *arena, const char *type, const char *const *args, int count);

#endif
