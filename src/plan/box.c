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
