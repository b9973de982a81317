#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "base/arena.h"

#include <stddef.h>

/* What another program said, and how it ended. */
struct process {
	const char *trouble; /* why it could not be run or was not read to its end; or NULL */
	char *text;	     /* its stdout, NUL-terminated; may hold NULs before `length` */
	size_t length;	     /* bytes */
	const char *errors;  /* its stderr */
	int status;	     /* its exit status; 128 + N when signal N ended it */
};

/*
 * Runs a program found on the PATH and waits for it: no shell, no stdin, messages in English
 * (LC_ALL=C). `argv` begins with its name and ends with NULL. More than `limit` bytes of output
 * are a trouble.
 */
struct process process_run(struct arena *arena, const char *const *argv, size_t limit);

#endif
