#include "sim/schedule.h"

/* Backward passes go in the order of the forward passes, as torch runs them. */
static void order(struct arena *arena, const struct pipeline_shape *shape, int64_t rank,
		  struct actions *actions)
{
	int64_t i;

	for (i = 0; i < shape->microbatches; i++)
		actions_add(arena, actions, ACTION_FORWARD, rank, i);
	for (i = 0; i < shape->microbatches; i++)
		actions_add(arena, actions, ACTION_BACKWARD, rank, i);
}

/* Nanotron's pp_engine. */
static const char *const aliases[] = { "afab", NULL };

const struct schedule schedule_gpipe = {
	.name = "GPipe",
	.aliases = aliases,
	.summary = "all forward passes, then all backward passes",
	.hoards = true,
	.refuses = schedule_refuses_several,
	.order = order,
};
