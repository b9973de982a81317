#ifndef RULES_LEVEL_H
#define RULES_LEVEL_H

#include "rules/rule.h"

/*
 * What becomes of findings after they are found: comments in the file silence
 * them, --ignore, --warn and --error change them, and a comment that silenced nothing is
 * itself found.
 */
enum level { LEVEL_IGNORE, LEVEL_NOTE, LEVEL_WARN, LEVEL_ERROR };

struct relevel {
	const struct rule_id *rule;
	enum level level;
};

/* A project's rules, then the --ignore, --warn and --error of one call; later ones win. */
struct levels {
	VEC(struct relevel) list;
};

/*
 * Adds a comma-separated list of rule names. Returns NULL, or a sentence on the first name
 * that no rule has.
 */
const char *levels_add(struct levels *levels, struct arena *arena, const char *names,
		       enum level level);

/*
 * Applies comments, then levels, to the findings of one job and sorts them. Rules in
 * `skips` could not be judged: a comment naming one is not called unused.
 */
void levels_apply(const struct levels *levels, struct job *job, const struct skips *skips);

#endif
