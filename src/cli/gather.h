#ifndef CLI_GATHER_H
#define CLI_GATHER_H

#include "cli/command.h"
#include "evidence/evidence.h"

/*
 * Reads the evidence that operands name, files and folders. Dies when one of them cannot be opened,
 * and when none is of a known kind; one of several that is not becomes a limit, FILE_UNKNOWN.
 */
void gather_evidence(const struct invocation *invocation, const char *command,
		     const char *const *paths, size_t count, struct capture *capture);

/* The same, but where nothing is of a known kind it says so: a sentence, else NULL. */
const char *gather_known(const struct invocation *invocation, const char *command,
			 const char *const *paths, size_t count, struct capture *capture);

/*
 * The exit status of a command that has told of the evidence: EXIT_TROUBLE where a packed file
 * ended too early, which stderr names; else the one that is given.
 */
int gather_status(const struct capture *capture, const char *command, int status);

/* Whether some of the operands is packed: struct command.starts of what reads evidence. */
bool gather_unpacks(const struct invocation *invocation, const void *request);

#endif
