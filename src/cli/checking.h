#ifndef CLI_CHECKING_H
#define CLI_CHECKING_H

#include "cli/command.h"
#include "report/report.h"
#include "rules/level.h"

struct watch;

/* The options of `parplan check`. */
struct check_request {
	struct config_request config;
	struct texts expect, ignore, warn, error;
	const char *fail_on, *baseline, *write_baseline, *output;
	bool silenced, explain_all, watch, strict;
	int64_t jobs;
};

/* What the options and operands ask for; the same for every round of --watch. */
struct checking {
	struct invocation *invocation;
	const struct check_request *request;
	const struct format *format;
	struct overrides overrides;
	const char *const *paths;
	size_t count;
	struct watch *watch; /* NULL without --watch */
};

/* Adds what --ignore, --warn and --error say of rules, or dies where one is unknown. */
void checking_levels(const struct check_request *request, struct arena *arena,
		     struct levels *levels);

/* Looks at all files once and writes the report; returns the exit status. */
int checking_pass(const struct checking *checking, struct arena *arena, struct buf *out);

/* Dies where what is asked for cannot be watched: stdin, a command line, --write-baseline. */
void checking_unwatchable(const struct checking *checking);

/*
 * Writes one report after the other until the reader is gone, and returns the exit status then:
 * Ctrl-C ends the program where it waits. What it writes goes past the invocation's product.
 */
int checking_watch(struct checking *checking);

#endif
