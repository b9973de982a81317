#include "cli/watch.h"

#include <poll.h>
#include <string.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif
#include <sys/stat.h>
#include <unistd.h>

/*
 * Milliseconds: between two looks without inotify; with it, for links into other folders and
 * network file systems; and how long files must have been left alone.
 */
enum { POLL_MS = 250, CHECK_MS = 1000, QUIET_MS = 60 };

static struct stamp stamp_of(const char *path)
{
	struct stamp stamp = { 0 };
	struct stat status;

	if (stat(path, &status))
		return stamp;
	stamp.device = status.st_dev;
	stamp.inode = status.st_ino;
	stamp.size = status.st_size;
	stamp.modified = status.st_mtim;
	return stamp;
}

static bool stamp_same(struct stamp a, struct stamp b)
{
	return a.device == b.device && a.inode == b.inode && a.size == b.size &&
	       a.modified.tv_sec == b.modified.tv_sec && a.modified.tv_nsec == b.modified.tv_nsec;
}

void watch_init(struct watch *watch, struct arena *arena, bool notify)
{
	memset(watch, 0, sizeof(*watch));
	watch->arena = arena;
	watch->inotify = -1;
#ifdef __linux__
	if (notify)
		watch->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
#else
	(void)notify;
#endif
}

/* Asks to be told of what happens in a file's folder; adding a folder again changes nothing. */
static void follow_folder(const struct watch *watch, const char *path)
{
#ifdef __linux__
	const char *slash = strrchr(path, '/');
	const char *folder = !slash ? "."
			     : slash == path
				     ? "/"
				     : arena_strndup(watch->arena, path, (size_t)(slash - path));

	if (watch->inotify >= 0)
		inotify_add_watch(watch->inotify, folder,
				  IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_DELETE |
					  IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB);
#else
	(void)watch;
	(void)path;
#endif
}

void watch_add(struct watch *watch, const char *path)
{
	size_t i;

	for (i = 0; i < watch->paths.count; i++)
		if (!strcmp(watch->paths.items[i], path))
			return;
	vec_push(watch->arena, &watch->paths, arena_strdup(watch->arena, path));
	follow_folder(watch, path);
	vec_push(watch->arena, &watch->stamps, stamp_of(path));
}

/* Takes new stamps; true when one differs. */
static bool look(struct watch *watch)
{
	bool changed = false;
	size_t i;

	for (i = 0; i < watch->paths.count; i++) {
		struct stamp now = stamp_of(watch->paths.items[i]);

		changed = changed || !stamp_same(now, watch->stamps.items[i]);
		watch->stamps.items[i] = now;
	}
	return changed;
}

/* Sleeps so many milliseconds, or until inotify has something to tell. */
static void rest(const struct watch *watch, int milliseconds)
{
	struct pollfd wait = { .fd = watch->inotify, .events = POLLIN };
	char events[4096];

	if (poll(&wait, 1, milliseconds) <= 0)
		return;
	while (read(watch->inotify, events, sizeof(events)) > 0)
		continue;
}

bool watch_wait(struct watch *watch, int timeout_ms)
{
	int step = watch->inotify < 0 ? POLL_MS : CHECK_MS;
	int left = timeout_ms;

	while (!look(watch)) {
		if (!left)
			return false;
		if (left > 0 && left < step)
			step = left;
		rest(watch, step);
		left -= left > 0 ? step : 0;
	}
	do
		poll(NULL, 0, QUIET_MS);
	while (look(watch));
	return true;
}

void watch_release(struct watch *watch)
{
	if (watch->inotify >= 0)
		close(watch->inotify);
	watch->inotify = -1;
}
