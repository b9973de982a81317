#ifndef LSP_URI_H
#define LSP_URI_H

#include "base/arena.h"

/* The absolute path of "file:///home/a%20b.yaml"; NULL of what names no file. */
const char *uri_path(struct arena *arena, const char *uri);

/* The URI of a path, which may be relative to the current folder. */
const char *uri_of(struct arena *arena, const char *path);

#endif
