#ifndef CLI_DEAD_H
#define CLI_DEAD_H

#include "cli/command.h"
#include "evidence/log/joblog.h"
#include "report/report.h"

/*
 * Reads what a dead or hung job left behind: a file, or all files of a folder and of those in it.
 * True when all of it was read to its end; what was not is said on stderr.
 */
bool dead_read(struct joblog *log, const char *command, const char *path);

/* The job's config, judged as check would; NULL: there is only a launch line behind "--". */
struct checked *dead_config(const struct invocation *invocation, const char *command,
			    const struct config_request *config, const char *path);

#endif
