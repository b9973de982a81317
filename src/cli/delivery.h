#ifndef CLI_DELIVERY_H
#define CLI_DELIVERY_H

#include "cli/command.h"
#include "report/report.h"

/* Dies when `input` is a file that the command is to write, whatever the two are called. */
void delivery_spare(const struct invocation *invocation, const char *command, const char *input);

/* The same for all files that a job was read from. */
void delivery_spare_job(const struct invocation *invocation, const char *command,
			const struct job *job);

/* Writes the product to --output `path`, whole or not at all, or dies; without one it is for
 * stdout. */
void delivery_write(struct invocation *invocation, const char *path);

/* A config that a command makes: to a file that is not there yet, whole or not at all, else stdout.
 */
void delivery_new(const struct invocation *invocation, const char *command, const char *path,
		  const struct buf *text, enum outward kind);

/*
 * What the format adds to a file that the environment names. Trouble with that file is said on
 * stderr and changes nothing else: the report stands without.
 */
void delivery_digest(struct report *report, const struct format *format);

#endif
