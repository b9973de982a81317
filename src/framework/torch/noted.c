#include "framework/torch/noted.h"

#include "framework/torch/dtensor.h"
#include "framework/torch/job_torch.h"

#include <string.h>

/* Shards of one parameter that are compared; beyond it is not claimed that they differ. */
enum { COMPARED = 65536 };

static bool uneven(const struct sharded *sharded)
{
	int i;

	for (i = 0; i < sharded->dims; i++)
		if (sharded->dim[i].placement.kind == PLACE_STRIDED_SHARD &&
		    sharded->parameter->shape[sharded->dim[i].placement.dim] %
			    sharded->dim[i].placement.factor)
			return true;
	return false;
}

static bool same_box(const struct box *a, const struct box *b)
{
	return !memcmp(a->shape, b->shape, (size_t)a->dims * sizeof(*a->shape)) &&
	       !memcmp(a->offset, b->offset, (size_t)a->dims * sizeof(*a->offset));
}

/* The rank at a coordinate of the parameter's mesh, the others of its ranks at 0. */
static int64_t rank_at(const struct sharded *sharded, const int64_t *mesh, int64_t number,
		       int64_t *coordinate)
{
	int64_t rank = 0;
	int i;

	for (i = sharded->dims - 1; i >= 0; i--) {
		coordinate[i] = number % mesh[i];
		number /= mesh[i];
		rank += layout_offset(sharded->dim[i].layout, coordinate[i]);
	}
	return rank;
}

static bool differs(const struct job *job, const struct sharded *sharded, struct noted *noted)
{
	const struct parameter *parameter = sharded->parameter;
	int64_t mesh[MESH_AXES], coordinate[MESH_AXES], shards = 1, i;
	struct placement placements[MESH_AXES];
	struct torch_world world;
	int j;

	for (j = 0; j < sharded->dims; j++) {
		bool cut = sharded->dim[j].placement.kind != PLACE_REPLICATE;
		mesh[j] = cut ? layout_size(sharded->dim[j].layout) : 1;
		placements[j] = sharded->dim[j].placement;
		shards *= mesh[j];
	}
	torch_world_init(&world, job->arena, torch_of_job(job), job->world);
	for (i = 0; i < shards && shards <= COMPARED; i++) {
		noted->rank = rank_at(sharded, mesh, i, coordinate);
		noted->stored = plan_box(sharded, noted->rank);
		noted->noted = dtensor_box(&world, parameter->dims, parameter->shape, sharded->dims,
					   mesh, placements, coordinate);
		if (world.error.type)
			return false;
		noted->sharded = sharded;
		if (!same_box(&noted->stored, &noted->noted))
			return true;
	}
	return false;
}

bool noted_elsewhere(const struct job *job, struct noted *noted)
{
	const struct plan *plan = job->applied;
	size_t i;

	for (i = 0; plan_places(plan) && i < plan->parameters.count; i++)
		if (uneven(&plan->parameters.items[i]) &&
		    differs(job, &plan->parameters.items[i], noted))
			return true;
	return false;
}
