#ifndef CLI_INCIDENT_H
#define CLI_INCIDENT_H

#include "cli/command.h"
#include "evidence/hang/captured.h"
#include "evidence/log/joblog.h"
#include "evidence/observed/observed.h"

/* What a job left behind that ran, hung or died: logs, and whatever else is evidence. */
struct incident {
	struct joblog log;
	struct hang hang;
	struct capture capture;
	struct observed observed; /* its world is as the hang tells, where nothing else does */
	const char *unknown;	  /* why nothing of it is evidence of groups, or NULL */
	bool whole;		  /* all of the logs was read */
};

/* `expected` (may be NULL) is what check finds in the job's config. */
void incident_read(const struct invocation *invocation, const char *command,
		   const struct operands *evidence, const struct findings *expected,
		   struct incident *incident);

/* A config of as many ranks, which says where they are: what a figure of it needs. */
const char *incident_config(struct arena *arena, const struct incident *incident);

#endif
