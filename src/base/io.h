#ifndef BASE_IO_H
#define BASE_IO_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A whole file in memory, or why not. */
struct io_text {
	char *text;	   /* NUL-terminated; NULL when it could not be read */
	size_t length;	   /* bytes */
	const char *error; /* "No such file or directory", "larger than 16.0 MiB"; NULL when read */
	bool too_large;	   /* the error is that there are more bytes than the limit */
	bool folder;	   /* the error is that it is a folder */
	bool outside;	   /* the error is that it may not be read (base/bounds.h) */
};

/* Reads a file, or stdin for "-"; refuses directories and anything over `limit` bytes. */
struct io_text io_read(struct arena *arena, const char *path, size_t limit);

/* The same for a regular file alone: neither a device nor a pipe is opened so that it waits. */
struct io_text io_read_regular(struct arena *arena, const char *path, size_t limit);

/*
 * Writes a file so that it is either whole or untouched: a nameless file in the same folder,
 * synced, which then takes the place and the mode of the old one (other hard links keep the old
 * text); a link is followed to what it names. Devices and pipes are written directly, and a pipe
 * that nobody reads is an error. "-" is stdout. Returns NULL, or why not.
 */
const char *io_write(struct arena *arena, const char *path, const char *data, size_t length);

/* Appends to a file, which is made when there is none. Returns NULL, or why not. */
const char *io_append(struct arena *arena, const char *path, const char *data, size_t length);

/* True when both are names of one regular file. */
bool io_same(const char *left, const char *right);

/* True when a file of that name can be read. */
bool io_exists(const char *path);

#endif
