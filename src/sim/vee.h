#ifndef SIM_VEE_H
#define SIM_VEE_H

#include "sim/schedule.h"

/*
 * One rank of a schedule in the shape of a V, while it is written: its stage on the way down
 * (slot 0) and on the way up (slot 1), each of which counts microbatches by itself.
 */
struct vee {
	struct arena *arena;
	const struct pipeline_shape *shape;
	struct actions *actions;
	int64_t stages[2];
	int64_t forwards[2], backwards[2], weights[2]; /* done so far, by slot */
};

void vee_init(struct vee *vee, struct arena *arena, const struct pipeline_shape *shape,
	      int64_t rank, struct actions *actions);

/*
 * Appends the next microbatch's computation of a slot. Those of microbatches that there are not
 * count and leave no action: schedules fill up to as many as their phases need.
 */
void vee_add(struct vee *vee, enum action_kind kind, int slot);

#endif
