#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* What another program said, and how it ended. */
struct process {
	const char *trouble; /* why it could not be run or was not read to its end; or NULL */
	bool too_large;	     /* the trouble is that it says more than it may */
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

/* Another program whose stdout is read as it comes. */
struct process_pipe {
	const char *trouble; /* why it could not be run; or NULL */
	int fd;		     /* its stdout; -1: it does not run */
	int id;
};

/* Starts a program that reads the file `input`; its stderr is dropped. To be closed in any case. */
struct process_pipe process_open(struct arena *arena, const char *const *argv, const char *input);

/* Stops listening, waits for its end and returns its status as process.status; -1: it never ran. */
int process_close(struct process_pipe *pipe);

#endif
