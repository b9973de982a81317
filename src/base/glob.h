#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include "base/arena.h"

#include <stdbool.h>

struct pattern;
struct pattern_error;

/*
 * Patterns of paths as .gitignore has them: '*' and '?' stay within one part, "**" spans parts,
 * [abc] and [!a-z] are one character of some. A pattern without a slash before its end matches a
 * part at any depth, others begin at the folder; what matches a folder matches all that lies in it.
 */

/* True when `path`, relative to the pattern's folder, matches. */
bool glob_matches(struct arena *arena, const char *glob, const char *path);

/*
 * A pattern that many paths are held to, by glob_finds; NULL when it is none. pattern_release ends
 * it. Without `below` what lies in a folder that matches does not match by that.
 */
struct pattern *glob_compile(struct arena *arena, const char *glob, bool below,
			     struct pattern_error *error);
bool glob_finds(struct pattern *pattern, struct arena *arena, const char *path);

/* NULL, or why a text is no such pattern. */
const char *glob_trouble(struct arena *arena, const char *glob);

#endif
