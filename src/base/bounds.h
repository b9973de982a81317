#ifndef BASE_BOUNDS_H
#define BASE_BOUNDS_H

#include "base/io.h"

/*
 * What a file may lead to. A config, a script or a checkout may be anybody's; the files that it
 * names are read only where the user had it lie: in the folder given here, links followed, and
 * never in a .git, which holds a runner's token. Bounds of NULL hold nothing back.
 */

/* The real path of the root of the repository that `path` lies in; outside of any repository, of
 * its own folder, or of a script the one above. NULL when there is no such folder. */
const char *bounds_of(struct arena *arena, const char *path);

/* The nearest folder with a .git, from an absolute one upwards; NULL when there is none. */
const char *bounds_repository(struct arena *arena, const char *folder);

/* True when the file lies within; one that does not exist, going by its name. */
bool bounds_hold(const char *bounds, const char *path);

/* Reads a regular file within, without ever waiting for one; else io_text.error says why not. */
struct io_text bounds_read(struct arena *arena, const char *bounds, const char *path, size_t limit);

/* Why a path that the user named is not read: a link of its repository that leads out of it. NULL
 * when it is. */
const char *bounds_leave(struct arena *arena, const char *path);

extern const char bounds_outside[]; /* "it lies outside ..." with what to do, for messages */

#endif
