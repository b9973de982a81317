#ifndef RULES_PROCESSES_H
#define RULES_PROCESSES_H

#include "rules/rule.h"

/* How many machines, processes on each and devices of each, as far as somebody says. */
struct start {
	const char *launcher;		/* "" when nobody says */
	const struct setting *machines; /* NULL when nobody says */
	const struct setting *devices;
	const struct setting *per_machine; /* launch.processes_per_node, or tasks of srun */
	int64_t count;			   /* processes on each machine; 0: not a number */
};

struct start start_of(const struct job *job);

/* Devices that the processes of a machine see: those it is given, else all it has; or NULL. */
const struct setting *devices_seen(const struct job *job);

/* True when the launcher is told to leave devices of each machine without a process. */
bool start_leaves_idle(const struct job *job);

/* True when that is what starts the processes. */
bool launched_by(const struct job *job, const char *launcher);

#endif
