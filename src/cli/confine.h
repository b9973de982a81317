#ifndef CLI_CONFINE_H
#define CLI_CONFINE_H

#include "cli/command.h"

/*
 * Gives up what a command does not need (base/sandbox.h), by what its command line names: of files
 * named in it, their repository is read (without one, their folder, or that of the settings which
 * hold for them), and the folder of an output is written. The words are those behind the command's
 * name, options among them.
 */
void confine(const struct invocation *invocation, const struct command *command,
	     const void *request, int argc, char **argv);

/* "Landlock 7, seccomp", or why there is none: for `parplan --version --verbose`. */
const char *confine_means(struct arena *arena);

#endif
