#ifndef CLI_PLANNED_H
#define CLI_PLANNED_H

#include "cli/command.h"
#include "evidence/observed/measured.h"
#include "framework/job.h"

/*
 * A run and its config, for commands whose operands are CONFIG EVIDENCE...: what was seen, what was
 * planned, the forecast of that, and what was measured beside it.
 */
struct planned {
	struct job job;
	struct capture capture;
	struct observed observed;
	struct verdict verdict;
	struct yardstick yardstick;
	struct measured measured;
};

/*
 * Reads all of it; findings of the config go to stderr, for its plan alone is needed. `profile`
 * (may be NULL) is a file with the user's numbers. Dies where there is no such run.
 */
void planned_read(struct invocation *invocation, const char *command,
		  const struct config_request *config, const char *profile,
		  struct planned *planned);

#endif
