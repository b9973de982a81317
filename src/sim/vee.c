#include "sim/vee.h"

#include <string.h>

void vee_init(struct vee *vee, struct arena *arena, const struct pipeline_shape *shape,
	      int64_t rank, struct actions *actions)
{
	memset(vee, 0, sizeof(*vee));
	vee->arena = arena;
	vee->shape = shape;
	vee->actions = actions;
	vee->stages[0] = rank;
	vee->stages[1] = 2 * shape->ranks - 1 - rank;
}

/* A whole backward pass counts for the weights as well. */
static int64_t count(struct vee *vee, enum action_kind kind, int slot)
{
	if (kind == ACTION_FORWARD)
		return vee->forwards[slot]++;
	if (kind == ACTION_WEIGHT)
		return vee->weights[slot]++;
	vee->weights[slot] += kind == ACTION_BACKWARD;
	return vee->backwards[slot]++;
}

void vee_add(struct vee *vee, enum action_kind kind, int slot)
{
	const int64_t microbatch = count(vee, kind, slot);

	if (microbatch < vee->shape->microbatches)
		actions_add(vee->arena, vee->actions, kind, vee->stages[slot], microbatch);
}
