#ifdef __linux__
#define _GNU_SOURCE /* O_TMPFILE; NOLINT(bugprone-reserved-identifier) */
#endif
#include "base/io.h"

#include "base/path.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct io_text failed(struct arena *arena, int error)
{
	return (struct io_text) { .error = arena_strdup(arena, strerror(error)) };
}

static struct io_text too_large(struct arena *arena, size_t limit)
{
	const char *size = text_bytes(arena, (double)limit);

	return (struct io_text) { .error = arena_printf(arena, "larger than %s", size),
				  .too_large = true };
}

static struct io_text read_all(struct arena *arena, int fd, size_t limit, size_t guess)
{
	size_t room = guess + 1, length = 0;
	char *text = arena_alloc(arena, room + 1);

	for (;;) {
		ssize_t got = read(fd, text + length, room - length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return failed(arena, errno);
		length += (size_t)got;
		if (length > limit)
			return too_large(arena, limit);
		if (!got)
			break;
		if (length == room) {
			char *more = arena_alloc(arena, room * 2 + 1);
			memcpy(more, text, length);
			text = more;
			room *= 2;
		}
	}
	text[length] = '\0';
	return (struct io_text) { .text = text, .length = length };
}

/* What is open there, if it may be read, and the descriptor closed. */
static struct io_text read_open(struct arena *arena, int fd, size_t limit, bool regular)
{
	struct io_text result;
	struct stat status;
	size_t guess = 4096;

	if (fstat(fd, &status)) {
		result = failed(arena, errno);
	} else if (S_ISDIR(status.st_mode)) {
		result = failed(arena, EISDIR);
		result.folder = true;
	} else if (regular && !S_ISREG(status.st_mode)) {
		result = (struct io_text) { .error = "it is a device or a pipe" };
	} else {
		if (S_ISREG(status.st_mode) && status.st_size > 0)
			guess = (size_t)status.st_size > limit ? limit : (size_t)status.st_size;
		result = read_all(arena, fd, limit, guess);
	}
	close(fd);
	return result;
}

struct io_text io_read(struct arena *arena, const char *path, size_t limit)
{
	int fd;

	if (!strcmp(path, "-"))
		return read_all(arena, STDIN_FILENO, limit, 4096);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? failed(arena, errno) : read_open(arena, fd, limit, false);
}

struct io_text io_read_regular(struct arena *arena, const char *path, size_t limit)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? failed(arena, errno) : read_open(arena, fd, limit, true);
}

static int write_all(int fd, const char *data, size_t length)
{
	while (length) {
		ssize_t put = write(fd, data, length);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return errno;
		data += put;
		length -= (size_t)put;
	}
	return 0;
}

/* Writes into an open file and closes it; returns 0 or errno. */
static int fill(int fd, const char *data, size_t length, bool sync)
{
	int error = write_all(fd, data, length);

	if (!error && sync && fsync(fd))
		error = errno;
	if (close(fd) && !error)
		error = errno;
	return error;
}

/* Writes into what is no regular file: a device, or a pipe that somebody listens to. */
static int write_through(const char *path, const char *data, size_t length)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);

	if (fd < 0)
		return errno;
	if (flags >= 0)
		(void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
	return fill(fd, data, length, false);
}

/* A new file of a name that nobody has. */
static const char *unique(struct arena *arena, const char *path, int try)
{
	return arena_printf(arena, "%s.%ld-%d.tmp", path, (long)getpid(), try);
}

enum { TRIES = 100 };

/* Opens a file without a name, which is gone if we are killed, or, where the file system has none,
 * one of a new name, *named. */
static int open_unseen(struct arena *arena, const char *path, const char **named)
{
	int fd = -1, i;

	*named = NULL;
#ifdef O_TMPFILE
	fd = open(path_folder(arena, path), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#endif
	for (i = 0; fd < 0 && i < TRIES; i++) {
		*named = unique(arena, path, i);
		fd = open(*named, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

/* Gives an open file a name that nobody has: 0 or errno. */
static int name_it(struct arena *arena, int fd, const char *name)
{
	const char *from = arena_printf(arena, "/proc/self/fd/%d", fd);

	return linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ? errno : 0;
}

/*
 * Puts a written file in the place of `path`; `named`: its name so far, or NULL. Where nothing is
 * there to be replaced a file without a name gets that one; else a new one beside it, which stays
 * if we are killed before it is renamed. 0 or errno.
 */
static int put_in_place(struct arena *arena, int fd, const char *path, bool replaces,
			const char *named)
{
	int error = named ? 0 : EEXIST, i;

	if (!named && !replaces) {
		error = name_it(arena, fd, path);
		if (error != EEXIST)
			return error;
	}
	for (i = 0; i < TRIES && error == EEXIST; i++) {
		named = unique(arena, path, i);
		error = name_it(arena, fd, named);
	}
	if (error || !rename(named, path))
		return error;
	error = errno;
	unlink(named);
	return error;
}

/* Puts the text in the place of `path`; 0 or errno. `status` is that of what it replaces. */
static int replace(struct arena *arena, const char *path, const struct stat *status,
		   const char *data, size_t length)
{
	const char *named;
	int fd = open_unseen(arena, path, &named), error;

	if (fd < 0)
		return errno;
	error = write_all(fd, data, length);
	if (!error && status && fchmod(fd, status->st_mode & 07777))
		error = errno;
	if (!error && fsync(fd))
		error = errno;
	if (!error)
		error = put_in_place(arena, fd, path, status != NULL, named);
	else if (named)
		unlink(named);
	if (close(fd) && !error)
		error = errno;
	return error;
}

/* The same while no signal ends the program: a temporary file would stay. */
static int replace_undisturbed(struct arena *arena, const char *path, const struct stat *status,
			       const char *data, size_t length)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	error = replace(arena, path, status, data, length);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

const char *io_write(struct arena *arena, const char *path, const char *data, size_t length)
{
	struct stat status;
	char *real = NULL;
	bool there;
	int error;

	if (!strcmp(path, "-")) {
		error = write_all(STDOUT_FILENO, data, length);
		return error ? arena_strdup(arena, strerror(error)) : NULL;
	}
	there = !stat(path, &status);
	if (there && !S_ISREG(status.st_mode)) {
		error = write_through(path, data, length);
	} else {
		real = there ? realpath(path, NULL) : NULL;
		error = replace_undisturbed(arena, real ? real : path, there ? &status : NULL, data,
					    length);
	}
	free(real);
	return error ? arena_strdup(arena, strerror(error)) : NULL;
}

bool io_same(const char *left, const char *right)
{
	struct stat a, b;

	return !stat(left, &a) && !stat(right, &b) && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

const char *io_append(struct arena *arena, const char *path, const char *data, size_t length)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	int error = fd < 0 ? errno : fill(fd, data, length, false);

	return error ? arena_strdup(arena, strerror(error)) : NULL;
}

bool io_exists(const char *path)
{
	return !access(path, R_OK);
}
