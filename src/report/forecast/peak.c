#include "report/forecast/peak.h"

#include <inttypes.h>

/* Units before this one that are blocks, from the first stage on. */
static int32_t block_of(const struct stages *stages, int32_t stage, int32_t unit)
{
	int32_t i, k, count = 0;

	for (i = 0; i <= stage; i++)
		for (k = 0; k < (i < stage ? stages->items[i].count : unit); k++)
			count += unit_is_block(&stages->items[i].units[k]);
	return count;
}

static void put_unit(struct buf *out, const struct stages *stages, int32_t stage, int32_t unit)
{
	if (unit_is_block(&stages->items[stage].units[unit]))
		buf_printf(out, "block %" PRId32, block_of(stages, stage, unit));
	else
		buf_text(out,
			 stage == 0 && unit == 0 ? "the embedding" : "the output and its loss");
}

void moment_put(struct buf *out, const struct forecast *forecast,
		const struct memory_moment *moment)
{
	static const char *const passes[] = {
		[TASK_FORWARD] = "forward of ",
		[TASK_BACKWARD] = "backward of ",
		[TASK_INPUT] = "backward (inputs) of ",
		[TASK_WEIGHT] = "backward (weights) of ",
		[TASK_APART] = "forward without gradients",
	};
	const struct run *run = &forecast->run;
	const struct task *task;

	if (moment->task == NO_TASK) {
		buf_text(out, "always");
		return;
	}
	task = &run->program.tasks.items[moment->task];
	if (task->kind == TASK_OPTIMIZER) {
		buf_text(out, "the optimizer");
		return;
	}
	buf_text(out, passes[task->kind]);
	if (moment->unit >= 0)
		put_unit(out, &run->stages, task->stage, moment->unit);
	buf_printf(out, ", microbatch %" PRId32 " of %" PRId64, task->microbatch + 1,
		   forecast->work.microbatches);
}

const char *memory_part_name(enum memory_part part)
{
	static const char *const names[] = {
		[MEMORY_PARAMETERS] = "parameters",
		[MEMORY_REFERENCE] = "reference model",
		[MEMORY_GRADIENTS] = "gradients",
		[MEMORY_OPTIMIZER] = "optimizer state",
		[MEMORY_UNSHARDED] = "gathered units",
		[MEMORY_REDUCE] = "unsharded gradients",
		[MEMORY_ACTIVATIONS] = "activations",
		[MEMORY_RECOMPUTED] = "recomputed block",
		[MEMORY_LOSS] = "logits and loss",
		[MEMORY_UPDATE] = "optimizer's temporaries",
		[MEMORY_WORKSPACES] = "library workspaces",
		[MEMORY_SLACK] = "cached by the allocator",
		[MEMORY_CONTEXT] = "context",
		[MEMORY_COMMUNICATORS] = "communicators",
	};

	return names[part];
}
