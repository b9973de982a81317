#ifndef BASE_IGNORED_H
#define BASE_IGNORED_H

#include "base/arena.h"

#include <stdbool.h>

/*
 * What the .gitignore files of a tree leave out (gitignore(5)): those of a path's own folder and of
 * the folders above, of several matching lines the last one of the innermost file.
 */
struct ignored;

/*
 * What holds in a folder: its own .gitignore on top of `above`, which is NULL outside of any tree;
 * `above` itself where it has none. `folder` is absolute. A file that cannot be read leaves nothing
 * out; *trouble is then "cannot read ...", else NULL.
 */
struct ignored *ignored_of(struct arena *arena, struct ignored *above, const char *folder,
			   const char **trouble);

/* The same of all folders above one that is absolute, from the root of its repository on. */
struct ignored *ignored_above(struct arena *arena, const char *folder, const char **trouble);

/* True when what lies at an absolute path is left out. */
bool ignored_holds(const struct ignored *ignored, struct arena *arena, const char *path,
		   bool is_folder);

/* Gives back what the patterns took, down to `until` (which may be NULL) and without it. */
void ignored_release(const struct ignored *ignored, const struct ignored *until);

#endif
