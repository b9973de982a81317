#ifndef FRAMEWORK_TORCH_CUSTOM_H
#define FRAMEWORK_TORCH_CUSTOM_H

#include "framework/job.h"

extern const struct rule_id rule_mesh_smaller_than_world;

/*
 * Executes the `mesh:` block of a native config as the script it describes would run, in this
 * order: init_device_mesh(root), _flatten of each entry of `flatten`, parallelize_module over
 * `tensor_parallel`, then fully_shard over the mesh named by `fully_shard`, or DDP over `ddp`.
 * `means` says which axes are meant to repeat, share and cut; it becomes the intended plan.
 */
void custom_mesh_apply(struct job *job, struct plan *plan);

/* Places the model, unless a pipeline or experts are the script's own affair. */
void custom_mesh_complete(struct job *job, struct plan *plan);

#endif
