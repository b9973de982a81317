#ifndef FRAMEWORK_TORCH_DTENSOR_H
#define FRAMEWORK_TORCH_DTENSOR_H

#include "framework/torch/device_mesh.h"
#include "framework/torch/release.h"
#include "plan/placement.h"

/*
 * compute_local_shape_and_global_offset of torch/distributed/tensor/_utils.py by version: the
 * shape and first index of what the rank at `coordinate` holds of a tensor, per DTensor metadata.
 * Three algorithms exist (A up to 2.7, B in 2.8 and 2.9, C from 2.10). Raises into
 * world->error what that version raises; then the box is meaningless.
 */
struct box dtensor_box(struct torch_world *world, int dims, const int64_t *shape, int mesh_dims,
		       const int64_t *mesh, const struct placement *placements,
		       const int64_t *coordinate);

#endif
