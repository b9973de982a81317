#ifndef INPUT_SETTINGS_FOREIGN_KEYS_H
#define INPUT_SETTINGS_FOREIGN_KEYS_H

#include "base/arena.h"

/* The native key that a framework's own name stands for, and whose name it is; or NULL. */
const char *foreign_name(const char *leaf, const char **owner);

/* The native key of a name that lacks its ending: tp for tensor_parallel; or NULL. */
const char *foreign_stem(struct arena *arena, const char *leaf);

#endif
