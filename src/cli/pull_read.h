#ifndef CLI_PULL_READ_H
#define CLI_PULL_READ_H

#include "cli/baselines.h"
#include "cli/pull_terms.h"
#include "report/pull/pull.h"

/* Reads the configs of a pull request, before and after, and compares them. */
struct pull_reader {
	struct arena *arena; /* everything that is read lives in it */
	struct pull *pull;
	const struct repository *repository;
	const struct overrides *overrides; /* for both sides */
	struct pull_settings settings;
	struct baselines baselines;
	const char *baseline; /* --baseline, or NULL */
};

/*
 * Adds one changed file to reader->pull: with its new findings when it is a config, or was one.
 * `named`: the user named it, so that it counts as a config even where it cannot be read as one.
 */
void pull_read(struct pull_reader *reader, const struct changed_file *file, bool named);

/* True for a project's settings, which are reported whichever files are asked for. */
bool pull_is_settings(const char *path);

#endif
