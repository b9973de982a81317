#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "base/arena.h"

#include <stdbool.h>

/*
 * Paths as texts: links are not followed and nothing has to exist, so the same words give the
 * same path whatever lies on the disk. '/' separates.
 */

/* The path from the root, without "." and ".." and doubled slashes. */
const char *path_absolute(struct arena *arena, const char *path);

/* `path` as seen from `folder`: "train/a.yaml", "../a.yaml", "." for the folder itself. */
const char *path_relative(struct arena *arena, const char *folder, const char *path);

/* The part up to the last slash: "train" of "train/a.yaml", "." of "a.yaml", "/" of "/a.yaml". */
const char *path_folder(struct arena *arena, const char *path);

/* `name` in `folder`; an absolute name, and any name in ".", stay as they are. */
const char *path_join(struct arena *arena, const char *folder, const char *name);

/* `path` moved to `folder`: "b/x.yaml" for "b" and "a/x.yaml", "./x.yaml" for ".". */
const char *path_moved(struct arena *arena, const char *folder, const char *path);

/* True when `path` lies in `folder` or is it; both absolute. */
bool path_within(const char *folder, const char *path);

#endif
