#include "sim/vee.h"

/*
 * ZB-V of arXiv:2401.10241 with fixed phases, which fit where F, I and W take the same time: torch
 * asks nothing of the true ones. `v->shape` is the one asked for; phases need 2 ranks - 1
 * microbatches at least, and those beyond are left out.
 */

static void add_backward(struct vee *v, int slot)
{
	vee_add(v, ACTION_INPUT, slot);
	vee_add(v, ACTION_WEIGHT, slot);
}

static void warm_up(struct vee *v, int64_t rank)
{
	const int64_t ranks = v->shape->ranks;
	int64_t i;

	for (i = 0; i < 2 * (ranks - rank) - 1; i++)
		vee_add(v, ACTION_FORWARD, 0);
	for (i = 0; i < rank; i++) {
		vee_add(v, ACTION_FORWARD, 1);
		vee_add(v, ACTION_FORWARD, 0);
	}
	for (i = 0; i < ranks - rank; i++) {
		vee_add(v, ACTION_FORWARD, 1);
		add_backward(v, 1);
	}
}

static void keep_up(struct vee *v)
{
	const int64_t least = 2 * v->shape->ranks - 1;
	const int64_t all = v->shape->microbatches > least ? v->shape->microbatches : least;

	while (v->forwards[0] < all || v->forwards[1] < v->forwards[0]) {
		if (v->forwards[0] < all)
			vee_add(v, ACTION_FORWARD, 0);
		add_backward(v, 0);
		vee_add(v, ACTION_FORWARD, 1);
		add_backward(v, 1);
	}
}

static void cool_down(struct vee *v, int64_t rank)
{
	int64_t i;

	for (i = 0; i < rank; i++) {
		vee_add(v, ACTION_INPUT, 0);
		vee_add(v, ACTION_INPUT, 1);
	}
	for (i = 0; i < v->shape->ranks - rank; i++)
		add_backward(v, 0);
	while (v->weights[1] < v->backwards[1])
		vee_add(v, ACTION_WEIGHT, 1);
	while (v->weights[0] < v->backwards[0])
		vee_add(v, ACTION_WEIGHT, 0);
}

static void order(struct arena *arena, const struct pipeline_shape *shape, int64_t rank,
		  struct actions *actions)
{
	struct vee vee;

	vee_init(&vee, arena, shape, rank, actions);
	warm_up(&vee, rank);
	keep_up(&vee);
	cool_down(&vee, rank);
}

const struct schedule schedule_zbv_zero_bubble = {
	.name = "ZBVZeroBubble",
	.summary = "down the ranks and up again, gradients of weights where ranks would wait",
	.vee = true,
	.splits = true,
	.order = order,
};
