#ifndef RULES_GROUPS_H
#define RULES_GROUPS_H

#include "rules/rule.h"

/*
 * Reports that the microbatches of a Megatron job are not whole groups of its interleaved schedule:
 * what is raised, or what would be unless the groups are of another size. False where Megatron Core
 * does not run the job.
 */
bool groups_report(const struct rule *rule, struct job *job);

#endif
