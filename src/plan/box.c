#include "plan/plan.h"

#include <string.h>

/* Cuts one dimension of a box n ways and keeps part `index`. */
static void cut(struct box *box, int dim, int64_t n, int64_t index)
{
	int64_t length, offset;

	chunk(box->shape[dim], n, index, &length, &offset);
	box->shape[dim] = length;
	box->offset[dim] += offset;
}

/*
 * Tensor parallel has cut the tensor before fully_shard cuts what is left of it, and
 * its mesh dims stand to the right: the dims are walked from right to left, whatever the
 * placements are called (torch@v2.8.0 distributed/fsdp/_fully_shard/_fsdp_param.py).
 */
struct box plan_box(const struct sharded *sharded, int64_t rank)
{
	const struct parameter *parameter = sharded->parameter;
	struct box box = { .dims = parameter->dims };
	int i;

	memcpy(box.shape, parameter->shape, sizeof(box.shape));
	for (i = sharded->dims - 1; i >= 0; i--) {
		const struct mesh_dim *dim = &sharded->dim[i];
		if (dim->placement.kind != PLACE_SHARD &&
		    dim->placement.kind != PLACE_STRIDED_SHARD)
			continue;
		cut(&box, dim->placement.dim, layout_size(dim->layout),
		    layout_index(dim->layout, rank));
	}
	for (i = 0; i < box.dims; i++)
		if (!box.shape[i])
			box.offset[i] = parameter->shape[i];
	return box;
}

const struct sharding *plan_sharding(const struct plan *plan, const struct parameter *parameter)
{
	return parameter->expert && plan->has_expert ? &plan->expert : &plan->dense;
}

bool plan_is_run(const struct plan *plan, const struct parameter *parameter, enum held held)
{
	const struct run_cut *run = &plan_sharding(plan, parameter)->run;

	return run->name && run->held[held] && run->layout.modes;
}

int64_t plan_padded(const struct sharded *sharded)
{
	int64_t shape[PARAMETER_DIMS], volume = 1, size;
	int i;

	memcpy(shape, sharded->parameter->shape, sizeof(shape));
	for (i = sharded->dims - 1; i >= 0; i--) {
		const struct mesh_dim *dim = &sharded->dim[i];
		if (dim->placement.kind != PLACE_SHARD &&
		    dim->placement.kind != PLACE_STRIDED_SHARD)
			continue;
		size = layout_size(dim->layout);
		shape[dim->placement.dim] = (shape[dim->placement.dim] + size - 1) / size;
	}
	for (i = 0; i < sharded->parameter->dims; i++)
		volume *= shape[i];
	return volume;
}

bool plan_places(const struct plan *plan)
{
	const bool dense = plan->dense.run.name && plan->dense.run.held[HELD_PARAMETER];
	const bool expert =
		plan->has_expert && plan->expert.run.name && plan->expert.run.held[HELD_PARAMETER];

	return plan->parameters.count && !plan->stages_assumed && !dense && !expert;
}

static int64_t within(int64_t value, int64_t low, int64_t high)
{
	return value < low ? low : value > high ? high : value;
}

struct box plan_part(const struct plan *plan, const struct sharded *sharded, int64_t rank,
		     enum held held)
{
	struct box box = plan_box(sharded, rank);
	const struct layout *layout = &plan_sharding(plan, sharded->parameter)->run.layout;
	int64_t volume, each, first, from;

	if (!plan_is_run(plan, sharded->parameter, held))
		return box;
	volume = box_volume(&box);
	each = sharded->run_length / layout_size(layout);
	first = each * layout_index(layout, rank) - sharded->run_at;
	from = within(first, 0, volume);
	return (struct box) { .dims = 1,
			      .shape = { within(first + each, 0, volume) - from },
			      .offset = { from } };
}
