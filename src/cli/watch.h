#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>
#include <time.h>

/* What of a file tells that it is another than before; all zero: it is not there. */
struct stamp {
	unsigned long long device, inode;
	long long size;
	struct timespec modified;
};

/*
 * Files that are waited for. They are compared by their stamps; inotify on their folders, where
 * the system has it, only says when to look. So editors that write beside a file and rename are
 * seen, files that do not exist yet too, and network file systems with the delay of a poll.
 */
struct watch {
	struct arena *arena;
	int inotify; /* -1: there is none, files are looked at every quarter of a second */
	VEC(const char *) paths;
	VEC(struct stamp) stamps;
};

/* Starts with no file. Without `notify` files are polled. */
void watch_init(struct watch *watch, struct arena *arena, bool notify);

/* Adds a file, there or not, as it is now; one that is known already keeps its stamp. */
void watch_add(struct watch *watch, const char *path);

/*
 * Waits until a file is another than when it was added or last waited for, and has been left alone
 * for a moment: editors write in several steps. False when `timeout_ms` went by first (-1: never).
 */
bool watch_wait(struct watch *watch, int timeout_ms);

void watch_release(struct watch *watch);

#endif
