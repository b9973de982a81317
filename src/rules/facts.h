#ifndef RULES_FACTS_H
#define RULES_FACTS_H

#include "framework/torch/release.h"
#include "framework/wing.h"
#include "rules/rule.h"

/* Questions that many rules ask of a job. */

/* The framework whose whole trainer is read, at its version; NULL for a script of one's own. */
const struct version *trainer_of(const struct job *job);

/* The job's PyTorch; false when it plays no part or is not known. */
bool torch_release_of(const struct job *job, struct torch_release *torch);

/* A degree after inference (applied plan first, then intended, then the setting); 1 when unknown.
 */
int64_t degree_of(const struct job *job, enum field_id field);

/* Samples per optimizer step (sim/workload/objective.h); 0 where the config does not say. */
int64_t samples_of(const struct job *job);

/* The setting of a field; rules read it only after the fact it needs is known. */
const struct setting *fact(const struct job *job, enum field_id field);

/*
 * Where to point when several settings matter: the first that somebody wrote and that is not 1,
 * else the first that somebody wrote, else the document's start.
 */
struct span first_place(const struct job *job, const enum field_id *fields, size_t count);

#endif
