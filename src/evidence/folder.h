#ifndef EVIDENCE_FOLDER_H
#define EVIDENCE_FOLDER_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>

/* The files of a folder. */
struct folder {
	VEC(const char *) files; /* paths, "rank_2" before "rank_10" */
};

bool folder_is(const char *path);
bool folder_regular(const char *path); /* it is a file that can be read again */

/* Lists it with the files of folders in it, which stand behind its own; links are not followed.
 * NULL, or why it cannot be listed. */
const char *folder_tree(struct folder *folder, struct arena *arena, const char *path);

#endif
