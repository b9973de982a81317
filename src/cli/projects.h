#ifndef CLI_PROJECTS_H
#define CLI_PROJECTS_H

#include "cli/command.h"
#include "input/project.h"

/*
 * The .parplan.yaml files that a command meets, each read and judged once. Zero-initialised but
 * for `arena` and `request` it has met none.
 */
struct projects {
	struct arena *arena;		      /* as long-lived as the command */
	const struct config_request *request; /* --config, --no-config */
	VEC(struct project *) list;
};

/*
 * The settings for a config: --config's, else those of its folder or above; NULL when there are
 * none. Dies when the file cannot be read. `config` is a path, "-", or NULL for no file.
 */
const struct project *projects_of(struct projects *projects, const char *config);

/* The same from a text, of a file that need not be there any more. */
const struct project *projects_of_text(struct arena *arena, const char *path, const char *text,
				       size_t length);

#endif
