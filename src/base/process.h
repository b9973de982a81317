#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Another program: found in the absolute folders of PATH, started without a shell. It inherits
 * PATH and LD_LIBRARY_PATH and no other variable, and may take only so much time and memory, since
 * what it reads may come from anybody.
 */
struct program {
	const char *const *argv;      /* its name first, ended by NULL */
	const char *const *variables; /* "NAME=VALUE", ended by NULL; or NULL for none */
	int input;		      /* an open file for its stdin; -1: nothing */
	int seconds;		      /* of the processor, and for process_run of the clock */
	size_t memory;		      /* bytes of its own, files that it maps not counted */
};

/* What another program said, and how it ended. */
struct process {
	const char *trouble; /* why it could not be run or was not read to its end; or NULL */
	bool missing, slow;  /* the trouble is that there is no such program, that it takes long */
	bool too_large;	     /* the trouble is that it says more than it may */
	char *text;	     /* its stdout, NUL-terminated; may hold NULs before `length` */
	size_t length;	     /* bytes */
	const char *errors;  /* its stderr */
	int status;	     /* its exit status; 128 + N when signal N ended it */
};

/* Runs a program and waits for it. More than `limit` bytes of output are a trouble. */
struct process process_run(struct arena *arena, const struct program *program, size_t limit);

/* Another program whose stdout is read as it comes. */
struct process_pipe {
	const char *trouble; /* why it could not be run; or NULL */
	int fd;		     /* its stdout; -1: it does not run */
	int id;
};

/* Starts a program whose stderr is dropped. To be closed in any case. */
struct process_pipe process_open(struct arena *arena, const struct program *program);

/* Stops listening, waits for its end and returns its status as process.status; -1: it never ran. */
int process_close(struct process_pipe *pipe);

#endif
