#ifndef RULES_PROJECT_H
#define RULES_PROJECT_H

#include "input/project.h"
#include "rules/level.h"

struct vocabulary;

/*
 * Holds the names in a project's settings against the rules and the versions there are; what is
 * wrong joins project->findings. Call it once.
 */
void project_judge(struct project *project);

/* Adds what its ignore: and rules: say. Names that no rule has are passed over. */
void project_levels(const struct project *project, struct arena *arena, struct levels *levels);

/* Adds the names of rules to the keys of a project's settings. */
void project_rule_names(struct vocabulary *vocabulary);

#endif
