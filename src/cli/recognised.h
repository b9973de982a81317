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
	size_t jobs; /* processes that read them */
	struct passed_over passed_over;
	VEC(const char *) configs;
};

/*
 * Adds what of these files is a config by its content. A file that cannot be opened counts as one,
 * so that whoever reads it next says why. Dies where one of the processes ends before its time.
 */
void recognised_add(struct recognised *recognised, const char *const *paths, size_t count);

/* True for a name that configs have: a suffix of YAML, TOML or JSON. */
bool recognised_by_name(const char *path);

#endif
