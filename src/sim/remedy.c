#include "sim/remedy.h"

/* Each changes a workload, or says that it cannot. */

static bool recompute(struct workload *work)
{
	if (work->recompute == RECOMPUTE_FULL)
		return false;
	work->recompute = RECOMPUTE_FULL;
	work->recompute_said = true;
	return true;
}

static bool halve_microbatch(struct workload *work)
{
	if (work->micro % 2)
		return false;
	work->micro /= 2;
	work->microbatches *= 2;
	return true;
}

static bool cut_optimizer(struct workload *work)
{
	if (work->zero != ZERO_NONE || work->dp * work->cp < 2 || work->deepspeed)
		return false;
	work->zero = work->software <= SOFTWARE_COMPILED ? ZERO_PARAMETERS : ZERO_OPTIMIZER;
	work->shard = work->dp * work->cp;
	work->replicate = 1;
	work->reshard = work->pp == 1;
	return true;
}

static bool cut_copies(struct workload *work)
{
	if (work->zero == ZERO_NONE || work->replicate < 2)
		return false;
	work->shard *= work->replicate;
	work->replicate = 1;
	return true;
}

/* Twice the ranks and twice the batch: what one rank computes is as before. */
static bool double_ranks(struct workload *work)
{
	if (work->zero == ZERO_NONE || work->world > INT64_MAX / 2)
		return false;
	work->world *= 2;
	work->nodes *= 2;
	work->dp *= 2;
	work->shard *= 2;
	return true;
}

static const struct {
	const char *what;
	bool (*change)(struct workload *work);
} changes[] = {
	{ "compute every block again (full activation checkpointing)", recompute },
	{ "half the microbatch, twice as many", halve_microbatch },
	{ "cut the state over the data-parallel ranks", cut_optimizer },
	{ "cut the state over the copies, too", cut_copies },
	{ "twice the data-parallel ranks share the state", double_ranks },
};

static double tokens(const struct workload *work)
{
	return (double)(work->microbatches * work->micro * work->dp) / (double)work->world;
}

void remedies_find(struct arena *arena, const struct profile *profile, const struct workload *work,
		   const struct run *run, const struct memory *memory, struct remedies *remedies)
{
	size_t i;

	for (i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct workload other = *work;
		struct remedy remedy = { .what = changes[i].what };
		struct run again;
		if (!changes[i].change(&other))
			continue;
		again = step_run(arena, profile, &other);
		remedy.device = memory_cost(arena, profile, &other, &again).device;
		remedy.step_ratio =
			again.step.total / tokens(&other) / (run->step.total / tokens(work));
		if (remedy.device < memory->device)
			vec_push(arena, &remedies->list, remedy);
	}
}
