#ifndef CLI_RECOGNISED_H
#define CLI_RECOGNISED_H

#include "cli/projects.h"
#include "report/findings/passed_over.h"

struct meter;

/* Files of which some are configs: those are left, the others are counted. */
struct recognised {
	struct arena *arena;
	const struct overrides *overrides;
	struct projects *projects;
	struct meter *meter;
	int64_t jobs; /* processes that read them; 0: one for each core */
	struct passed_over passed_over;
	VEC(const char *) configs;
};

/*
 * Adds the files below a folder (base/tree.h) that are configs by their name and content. A file
 * that cannot be opened counts as one, so that whoever reads it next says why. Dies where a folder
 * cannot be read, or a process ends before its time.
 */
void recognised_folder(struct recognised *recognised, const char *folder);

/* True for a name that configs have: a suffix of YAML, TOML or JSON. */
bool recognised_by_name(const char *path);

#endif
