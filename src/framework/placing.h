#ifndef FRAMEWORK_PLACING_H
#define FRAMEWORK_PLACING_H

#include "framework/job.h"

/*
 * What a framework puts on its groups, for all frameworks but TorchTitan, which has a path of its
 * own: stages, units, the placements of parameters, and what is cut without regard to them. It
 * works from a plan's meshes, degrees and sharing alone, so that it completes plans of any origin.
 */

/*
 * Completes a plan that has meshes and sharing. It does nothing without a model's parameters, or
 * where there are more stages than anybody has. It raises what fully_shard raises for a parameter.
 */
void place_model(struct job *job, struct plan *plan);

/* The framework whose code builds the groups: the engine's, where another one drives it. */
const struct framework *placing_builder(const struct job *job);

/* ---- what placing is made of ---- */

/* Shard of that tensor dim, strided where `inner` mesh dims have cut it before and torch tells. */
struct placement placing_shard(int dim, const struct mesh_dim *inner, int count, bool strided);

/* Says what is cut in runs: who shares them, and what they hold. */
void place_runs(const struct job *job, struct plan *plan);

/* Lays parameters that are placed into the runs, and counts units by them. */
void place_in_runs(const struct job *job, struct plan *plan);

#endif
