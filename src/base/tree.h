#ifndef BASE_TREE_H
#define BASE_TREE_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>

/* The regular files below a folder, in the order of their names. */
struct tree {
	VEC(const char *) files; /* paths from where the folder's own starts: "configs/a.yaml" */
	size_t others;		 /* files that were not wanted */
};

/*
 * Adds those files that are `wanted` (by path and bytes). Links are not followed; what a .gitignore
 * leaves out (base/ignored.h), and names that begin with a dot, are passed over. Returns NULL, or
 * what could not be read.
 */
const char *tree_walk(struct tree *tree, struct arena *arena, const char *folder,
		      bool (*wanted)(const char *path));

#endif
