#include "sim/looped.h"

/* Torch up to 2.5 wanted whole rounds of as many microbatches as ranks: the same order there. */
static void order(struct arena *arena, const struct pipeline_shape *shape, int64_t rank,
		  struct actions *actions)
{
	const struct looped looped = { .group = looped_round(shape), .hop = 2 };

	looped_order(arena, shape, rank, &looped, actions);
}

/* Torch's class of 2.5 that allowed other numbers of microbatches, TorchTitan's names of 2024. */
static const char *const aliases[] = { "FlexibleInterleaved1F1B", "interleaved_1f1b",
				       "flexible_interleaved_1f1b", NULL };

const struct schedule schedule_interleaved1f1b = {
	.name = "Interleaved1F1B",
	.aliases = aliases,
	.summary = "1F1B over several stages per rank, a round of microbatches after the other",
	.refuses = looped_refuses_uneven,
	.order = order,
};
