#ifndef INPUT_SETTINGS_NATIVE_KEYS_H
#define INPUT_SETTINGS_NATIVE_KEYS_H

#include "base/arena.h"
#include "input/field.h"

#include <stdbool.h>

/* What the native config may say, by path ("parallelism.tp"): fields, maps, and keys of maps kept
 * as trees. */

struct vocabulary;

/* The last name of a path. */
const char *native_leaf(const char *path);
/* Whether it is a key below a map that is kept as a tree. */
bool native_is_tree_key(const char *path);
/* Whether some key lies below `path`. */
bool native_is_section(const char *path);
/* The field that a map's one value stands for (`model: llama3-8b`), or FIELD_COUNT. */
enum field_id native_shorthand(const char *path);
/* The key that `path` was probably meant to be: in its section, then the same name in another; or
 * NULL. */
const char *native_nearest_key(struct arena *arena, const char *path);
/* For editors (input/vocabulary.h). */
void native_vocabulary(struct vocabulary *vocabulary);

#endif
