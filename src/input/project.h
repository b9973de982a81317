#ifndef INPUT_PROJECT_H
#define INPUT_PROJECT_H

#include "base/finding.h"
#include "base/vec.h"
#include "input/document.h"
#include "input/node.h"
#include "input/setting.h"

#include <stdbool.h>

/*
 * .parplan.yaml: what a repository settles for all its configs. It is committed beside them, so
 * that a check means the same wherever and by whomever it is run; nothing outside the repository
 * is read. What a config says itself wins over it, and options win over both.
 */
#define PROJECT_FILE ".parplan.yaml"

/* A word of the file and where it stands. */
struct project_word {
	const char *text; /* NULL: not given */
	struct span span;
};

struct project {
	const struct source *source;
	const char *folder;		       /* of the file, as shown: ".", "..", "train" */
	VEC(struct pin) pins;		       /* framework: */
	const struct node *cluster;	       /* cluster:, a map; or NULL */
	const struct node *rules;	       /* rules:, a map of words; or NULL */
	VEC(struct project_word) ignore;       /* rules that are dropped */
	VEC(struct project_word) exclude;      /* patterns of paths, relative to the folder */
	struct project_word baseline, fail_on; /* a path relative to the folder; a severity */
	struct findings findings;	       /* what is wrong with it */
};

/*
 * The path of the settings for a config: PROJECT_FILE in its folder or in the nearest one above,
 * up to the repository's root (a folder with .git) or the root of the file system. NULL: none.
 * For "-" and NULL the current folder is taken.
 */
const char *project_find(struct arena *arena, const char *config);

/* Reads settings from a text; everything wrong with them is in project->findings. */
void project_read(struct project *project, struct arena *arena, const char *path, const char *text,
		  size_t length);

/* True when `path` is one of those that are not to be checked; *which is the pattern. */
bool project_excludes(const struct project *project, struct arena *arena, const char *path,
		      const struct project_word **which);

/* Puts what cluster: says where nobody else gave a value. `project` may be NULL. */
void project_settle(const struct project *project, struct arena *arena, struct settings *settings);

#endif
