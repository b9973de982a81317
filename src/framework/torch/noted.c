#include "framework/torch/noted.h"

#include "framework/torch/dtensor.h"
#include "framework/torch/job_torch.h"

#include <stdlib.h>
#include <string.h>

const char noted_twice_error[] = "ValueError: Failed to validate global plan";

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

/* A parameter with its own mesh: how many shards there are, and where each of them is. */
struct shards {
	const struct sharded *sharded;
	struct torch_world world;
	struct placement placements[MESH_AXES];
	int64_t mesh[MESH_AXES], count; /* 0: more than are compared */
};

static struct shards shards_of(const struct job *job, const struct sharded *sharded)
{
	struct shards shards = { .sharded = sharded, .count = 1 };
	int i;

	for (i = 0; i < sharded->dims; i++) {
		bool cut = sharded->dim[i].placement.kind != PLACE_REPLICATE;
		shards.mesh[i] = cut ? layout_size(sharded->dim[i].layout) : 1;
		shards.placements[i] = sharded->dim[i].placement;
		shards.count *= shards.mesh[i];
	}
	if (shards.count > COMPARED)
		shards.count = 0;
	torch_world_init(&shards.world, job->arena, torch_of_job(job), job->world);
	return shards;
}

/* Where the metadata has a shard; false: PyTorch cannot say. */
static bool note(struct shards *shards, int64_t number, struct noted *noted)
{
	const struct parameter *parameter = shards->sharded->parameter;
	int64_t coordinate[MESH_AXES];

	noted->sharded = shards->sharded;
	noted->rank = rank_at(shards->sharded, shards->mesh, number, coordinate);
	noted->noted =
		dtensor_box(&shards->world, parameter->dims, parameter->shape,
			    shards->sharded->dims, shards->mesh, shards->placements, coordinate);
	return !shards->world.error.type;
}

static bool differs(const struct job *job, const struct sharded *sharded, struct noted *noted)
{
	struct shards shards = shards_of(job, sharded);
	int64_t i;

	for (i = 0; i < shards.count && note(&shards, i, noted); i++) {
		noted->stored = plan_box(sharded, noted->rank);
		if (!same_box(&noted->stored, &noted->noted))
			return true;
	}
	return false;
}

/* Orders boxes by their first row. */
static int by_first_row(const void *a, const void *b)
{
	int64_t one = ((const struct box *)a)->offset[0], two = ((const struct box *)b)->offset[0];

	return (one > two) - (one < two);
}

static bool any_overlap(struct box *boxes, int64_t count)
{
	int64_t i, j;

	qsort(boxes, (size_t)count, sizeof(*boxes), by_first_row);
	for (i = 0; i < count; i++)
		for (j = i + 1;
		     j < count && boxes[j].offset[0] < boxes[i].offset[0] + boxes[i].shape[0]; j++)
			if (box_overlap(&boxes[i], &boxes[j]))
				return true;
	return false;
}

static bool twice(const struct job *job, const struct sharded *sharded)
{
	struct shards shards = shards_of(job, sharded);
	struct noted noted;
	struct box *boxes;
	int64_t i;

	if (!shards.count)
		return false;
	boxes = arena_array(job->arena, (size_t)shards.count, sizeof(*boxes));
	for (i = 0; i < shards.count; i++) {
		if (!note(&shards, i, &noted))
			return false;
		boxes[i] = noted.noted;
	}
	return any_overlap(boxes, shards.count);
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

const struct sharded *noted_twice(const struct job *job)
{
	const struct plan *plan = job->applied;
	size_t i;

	for (i = 0; plan_places(plan) && i < plan->parameters.count; i++)
		if (uneven(&plan->parameters.items[i]) && twice(job, &plan->parameters.items[i]))
			return &plan->parameters.items[i];
	return NULL;
}
