#ifndef FRAMEWORK_DATA_PLAN_H
#define FRAMEWORK_DATA_PLAN_H

#include "framework/grid.h"
#include "framework/job.h"

/*
 * What frameworks do that build one DeviceMesh and hand it to FSDP, or wrap the model in
 * DistributedDataParallel: a grid of named axes, of which some share the parameters and some repeat
 * them.
 */
struct data_plan {
	struct grid grid;	  /* outermost first; axes of one rank are dropped */
	const char *replicate;	  /* axes whose ranks repeat parameters: "dp_replicate" */
	const char *shard;	  /* axes whose ranks share them: "dp_shard|cp" */
	const char *flat;	  /* what those are called together: "dp_shard_cp" */
	bool joined;		  /* dp, dp_shard_cp and dp_cp are flattened, in that order */
	const char *expert_shard; /* axes that share experts' parameters; NULL: as all others */
};

/* Fills the plan's meshes, who shares and who repeats. The grid must span the world. */
void data_plan_apply(struct plan *plan, const struct data_plan *data);

/* The degree, or `otherwise` where nothing usable is said. */
int64_t data_plan_degree(const struct job *job, enum field_id field, int64_t otherwise);

/* The settings that the product of the degrees hangs on, to blame for what was just raised. */
void data_plan_blame(const struct job *job, struct plan *plan);

/* What init_device_mesh says of a mesh of more ranks than the world has; false when it has not. */
bool data_plan_too_large(const struct job *job, struct plan *plan, int64_t ranks);

#endif
