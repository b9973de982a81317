#include "sim/workload.h"

/* In which order a pipeline rank computes what a step has: of one pipeline, or of several. */

struct pipeline_shape workload_shape(const struct workload *work, int64_t microbatches)
{
	const int64_t each = work->pipelined;
	const bool cut = each > 0 && each < microbatches && microbatches % each == 0;

	return (struct pipeline_shape) { .ranks = work->pp,
					 .per_rank = work->virtual_stages,
					 .microbatches = cut ? each : microbatches,
					 .group = work->group };
}

bool workload_ends(const struct workload *work, int64_t microbatches, int64_t backwards)
{
	return (backwards + 1) % workload_shape(work, microbatches).microbatches == 0;
}

void workload_order(struct arena *arena, const struct workload *work, int64_t microbatches,
		    int32_t rank, struct actions *actions)
{
	const struct pipeline_shape shape = workload_shape(work, microbatches);
	int64_t before;
	size_t i;

	if (work->pp < 2) {
		for (before = 0; before < microbatches; before++) {
			actions_add(arena, actions, ACTION_FORWARD, 0, before);
			actions_add(arena, actions, ACTION_BACKWARD, 0, before);
		}
		return;
	}
	for (before = 0; before < microbatches; before += shape.microbatches) {
		i = actions->list.count;
		work->schedule->order(arena, &shape, rank, actions);
		for (; i < actions->list.count; i++)
			actions->list.items[i].microbatch += (int32_t)before;
	}
}
