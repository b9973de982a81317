#ifndef CLI_DEAD_H
#define CLI_DEAD_H

#include "evidence/log/joblog.h"

/*
 * Reads what a dead or hung job left behind: a file, or all files of a folder and of those in it.
 * True when all of it was read to its end; what was not is said on stderr.
 */
bool dead_read(struct joblog *log, const char *command, const char *path);

#endif
