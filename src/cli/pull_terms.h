#ifndef CLI_PULL_TERMS_H
#define CLI_PULL_TERMS_H

#include "cli/projects.h"
#include "cli/repository.h"

/*
 * What a changed config is judged by: the project's settings of the base, as they are now, say what
 * is wrong (the policy); those of each side say what is (the facts). Any may be NULL.
 */
struct pull_terms {
	const struct project *policy, *before, *after;
};

/* The settings of a pull request, each read once. Zero-initialised but for the first members. */
struct pull_settings {
	struct arena *arena;
	const struct repository *repository;
	const struct config_request *request; /* --config, --no-config */
	bool from_disk;			      /* those of after are those on disk, not HEAD's */
	VEC(struct pull_setting) seen;
};

/* The terms for a changed file; dies where settings cannot be read. */
struct pull_terms pull_terms_of(struct pull_settings *settings, const struct changed_file *file);

/*
 * The text of a file of the base, of which nobody but the workflow may have another: what HEAD
 * does not have either is read from disk.
 */
struct io_text pull_policy_text(const struct repository *repository, const char *path);

#endif
