#ifndef EVIDENCE_OBSERVED_PLAN_H
#define EVIDENCE_OBSERVED_PLAN_H

#include "evidence/observed/observed.h"
#include "plan/plan.h"

/*
 * The observed plan as figures take it: the groups that ran, under the names of the axes that they
 * are or of what made them; degrees and who shares parameters as calls show. Families that do not
 * tile the world are left out.
 */
struct plan *observed_plan(const struct observed *observed);

/* The name of a family there: "tp", "mesh_dp_cp", ... */
const char *observed_mesh_name(const struct observed *observed, int32_t family);

#endif
