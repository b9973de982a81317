#ifndef RULES_SETTINGS_CHANGE_H
#define RULES_SETTINGS_CHANGE_H

#include "base/finding.h"
#include "input/node.h"
#include "input/project.h"

/*
 * What a pull request changes in what it is judged by. The policy (rules, ignore, exclude,
 * baseline, fail-on, strict, expect) is that of its base, whatever it says; the facts (framework,
 * cluster, world) are its own. Each change of either is a note where it stands.
 */

/* The tree before and after (NULL: none); `base` is the branch, `where` the place of what is gone.
 */
struct settings_change {
	const char *base;
	struct span where;
	struct findings *findings;
};

/* Of a project's settings. */
void settings_changed(const struct settings_change *change, const struct node *before,
		      const struct node *after);

/* Of the expectations of a config. */
void expectations_changed(const struct settings_change *change, const struct node *before,
			  const struct node *after);

/* A comment that silences a rule, and that was not there before. */
void silence_added(const struct settings_change *change, const char *rule, struct span span);

extern const struct rule_id rule_settings_change;

#endif
