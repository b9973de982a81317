#include "sim/memory_fix.h"

#include "base/number.h"

#include <inttypes.h>

/* Each makes the forecast of a changed job, or says that it cannot. */

static bool recompute(const struct job *job, const struct forecast *now, struct forecast *then)
{
	if (now->work.recompute == RECOMPUTE_FULL)
		return false;
	*then = *now;
	then->work.recompute = RECOMPUTE_FULL;
	then->work.recompute_said = true;
	forecast_run(then, job->arena);
	return true;
}

static bool halve_microbatch(const struct job *job, const struct forecast *now,
			     struct forecast *then)
{
	if (now->work.micro % 2)
		return false;
	*then = *now;
	then->work.micro /= 2;
	then->work.microbatches *= 2;
	forecast_run(then, job->arena);
	return true;
}

/* The same job with other degrees: its plan is made anew. */
static bool vary(const struct job *job, struct forecast *then, const struct variation *variations,
		 size_t count, int64_t world)
{
	struct job *other = arena_new(job->arena, struct job);

	job_vary(other, job->arena, job, variations, count, world);
	return !other->applied->error && !forecast_read(then, other, other->applied, NULL);
}

static bool cut_optimizer(const struct job *job, const struct forecast *now, struct forecast *then)
{
	const struct variation plain[] = { { FIELD_DP_REPLICATE, "1" }, { FIELD_DP_SHARD, "-1" } };
	const struct variation engine[] = { { FIELD_OPTIMIZER_DISTRIBUTED, "true" } };
	const struct workload *work = &now->work;

	if (work->zero != ZERO_NONE || work->data[DENSE].ranks < 2 || work->deepspeed)
		return false;
	return work->software <= SOFTWARE_COMPILED ? vary(job, then, plain, 2, 0)
						   : vary(job, then, engine, 1, 0);
}

static bool cut_copies(const struct job *job, const struct forecast *now, struct forecast *then)
{
	const struct variation variations[] = { { FIELD_DP_REPLICATE, "1" },
						{ FIELD_DP_SHARD, "-1" } };

	return now->work.copies[DENSE].ranks > 1 && vary(job, then, variations, 2, 0);
}

/* Twice the ranks and twice the batch: what one rank computes is as before. */
static bool double_ranks(const struct job *job, const struct forecast *now, struct forecast *then)
{
	const struct workload *work = &now->work;
	const int64_t batch = multiply(work->microbatches * work->micro, 2 * work->dp);
	const struct variation variations[] = {
		{ work->zero == ZERO_PARAMETERS ? FIELD_DP_SHARD : FIELD_DP_REPLICATE, "-1" },
		{ FIELD_GLOBAL_BATCH_SIZE, arena_printf(job->arena, "%" PRId64, batch) }
	};

	if (work->zero == ZERO_NONE || work->world > WORLD_MAX / 2)
		return false;
	return vary(job, then, variations, 2, 2 * work->world);
}

/* DeepSpeed's offload_optimizer and Megatron's --optimizer-cpu-offload. */
static bool offload_optimizer(const struct job *job, const struct forecast *now,
			      struct forecast *then)
{
	const struct workload *work = &now->work;

	if (work->offload > 0 || work->cpu_offload || work->zero == ZERO_NONE ||
	    !(work->deepspeed || work->megatron))
		return false;
	*then = *now;
	then->work.offload = 1;
	forecast_run(then, job->arena);
	return true;
}

static const struct {
	const char *what;
	bool (*change)(const struct job *job, const struct forecast *now, struct forecast *then);
} changes[] = {
	{ "compute every block again (full activation checkpointing)", recompute },
	{ "half the microbatch, twice as many", halve_microbatch },
	{ "cut the state over the data-parallel ranks", cut_optimizer },
	{ "cut the state over the copies, too", cut_copies },
	{ "keep the optimizer's state in host memory, and update there", offload_optimizer },
	{ "twice the data-parallel ranks share the state", double_ranks },
};

void remedies_find(const struct job *job, const struct forecast *forecast,
		   struct remedies *remedies)
{
	size_t i;

	for (i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct remedy remedy = { .what = changes[i].what };
		struct forecast then;
		if (!changes[i].change(job, forecast, &then))
			continue;
		remedy.device = then.memory.device;
		remedy.fits = forecast_fits(&then);
		remedy.step_ratio = forecast->tokens / then.tokens;
		if (remedy.device < forecast->memory.device)
			vec_push(job->arena, &remedies->list, remedy);
	}
}
