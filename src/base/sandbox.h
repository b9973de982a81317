#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

#include "base/vec.h"

#include <stdbool.h>

/*
 * What the process gives up before it reads what others wrote, so that a reader that is made to do
 * something else can do little: Linux's Landlock bounds which files are opened, and a seccomp
 * filter forbids calls that nothing here needs. Neither can be taken back, and both hold for child
 * processes.
 */
struct sandbox {
	VEC(const char *) reads;  /* files, and folders with all below them */
	VEC(const char *) writes; /* likewise; files are made and replaced there */
	bool programs; /* others are started: everything may be read and run, nothing else */
};

/* What the kernel has of it, and this build uses. */
struct sandbox_means {
	int landlock; /* version of its interface; 0: none */
	bool filter;  /* seccomp takes a filter */
};

struct sandbox_means sandbox_means(void);

/* Enters it as far as the kernel has it. A path that does not exist allows nothing. */
void sandbox_enter(const struct sandbox *sandbox);

#endif
