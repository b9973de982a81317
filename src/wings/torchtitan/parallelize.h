#ifndef WINGS_TORCHTITAN_PARALLELIZE_H
#define WINGS_TORCHTITAN_PARALLELIZE_H

#include "wings/torchtitan/titan.h"

/*
 * What Trainer.__init__ does after the meshes are there, in the order in which it does it. Each
 * step does nothing once plan->error is set; all of them allow for a job without a model.
 */

/* update_from_config and the trainer's own checks: combinations the model refuses. */
void titan_validate_model(struct job *job, struct plan *plan, const struct titan *titan);

/* Splits the model over pipeline stages: plan->stages, one with everything when pp is 1. */
void titan_pipeline_split(struct job *job, struct plan *plan, const struct titan *titan);

/* What parallelize_fn checks before it touches the data-parallel mesh. */
void titan_validate_parallelize(struct job *job, struct plan *plan, const struct titan *titan);

/*
 * Placements of every parameter on the mesh dims it lives on, and the FSDP units. Needs
 * plan->dense, plan->expert and plan->stages. Raises what fully_shard refuses.
 */
void titan_parallelize(struct job *job, struct plan *plan, const struct titan *titan);

/*
 * What Trainer.__init__ raises beside the plan: model converters, batch size, pipeline
 * schedule. The plan stays whole; the exception goes to plan->later.
 */
void titan_validate_trainer(struct job *job, struct plan *plan, const struct titan *titan);

/* The part of it that building the pipeline schedule refuses: batches and microbatches. */
void titan_validate_schedule(struct job *job, struct plan *plan, const struct titan *titan);

#endif
