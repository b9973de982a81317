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

/* What holds for the configs that a pattern of paths matches; of several, the last one counts. */
struct project_part {
	const char *glob;	 /* relative to the folder; NULL: all configs */
	const struct node *node; /* of cluster: a map; of world: a number */
};

struct project_parts {
	struct project_part *items;
	size_t count, capacity;
};

struct project {
	const struct source *source;
	const struct node *root;	       /* the file's tree; NULL when it has none */
	const char *folder;		       /* of the file, as shown: ".", "..", "train" */
	VEC(struct pin) pins;		       /* framework: */
	struct project_parts clusters;	       /* cluster: */
	struct project_parts worlds;	       /* world: */
	const struct node *rules;	       /* rules:, a map of words; or NULL */
	VEC(struct project_word) ignore;       /* rules that are dropped */
	VEC(struct project_word) exclude;      /* patterns of paths, relative to the folder */
	struct project_word baseline, fail_on; /* a path relative to the folder; a severity */
	bool strict;			       /* what is judged in part, or not at all, fails */
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

/*
 * True for a key that says what is wrong (rules, baseline, fail-on, ...), false for one that says
 * what is (framework, cluster, world): a pull request changes facts, its base has the policy.
 */
bool project_is_policy(const char *key);

/* The keys that the file may have, but for the names of rules. */
void project_vocabulary(struct vocabulary *vocabulary, struct arena *arena);

/* Whether what is not judged in full fails: --strict or strict:, which --fail-on never overrules.
 */
bool project_is_strict(const struct project *project, bool strict, const char *fail_on);

/* True when `path` is one of those that are not to be checked; *which is the pattern. */
bool project_excludes(const struct project *project, struct arena *arena, const char *path,
		      const struct project_word **which);

/*
 * Puts what cluster: says of the config at `path` where nobody else gave a value. `project` may be
 * NULL.
 */
void project_settle(const struct project *project, struct arena *arena, const char *path,
		    struct settings *settings);

/* Puts what world: says of that config, whatever was there; false when it says nothing. */
bool project_world(const struct project *project, struct arena *arena, const char *path,
		   struct settings *settings);

#endif
