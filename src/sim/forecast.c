#include "sim/forecast.h"

#include "cost/units.h"
#include "sim/interval.h"

#include <string.h>

/*
 * Operations of the model per token, forward and backward: six per element of every matrix that
 * a token meets, the output projection once more for each further token that is predicted, and the
 * attention core at half, for causality, or what windows leave of it. Recomputation is not counted.
 */
static double model_operations(const struct workload *work)
{
	const struct model *model = work->model;
	double table = (double)model->vocab * (double)model->hidden;
	double width = model->kv_lora > 0 ? (double)(model->qk_nope + model->qk_rope + model->v_dim)
					  : 2 * (double)model->head_dim;
	double seen =
		attention_seen((double)work->seq, (double)model->window, model->traits->chunked);
	double blocks = (double)(model->layers + model->mtp - model->windowed) +
			seen * (double)model->windowed;

	return 6 * ((double)model->active +
		    ((double)model->mtp - (model->tied_embeddings ? 0 : 1)) * table) +
	       3 * blocks * (double)model->heads * width * (double)work->seq;
}

void forecast_step(struct forecast *forecast, struct arena *arena)
{
	const struct stages stages = stages_cost(arena, &forecast->profile, &forecast->work);

	forecast_step_on(forecast, arena, &stages);
}

void forecast_step_on(struct forecast *forecast, struct arena *arena, const struct stages *stages)
{
	const struct workload *work = &forecast->work;
	double half, peak, tokens;

	forecast->run = step_run_on(arena, &forecast->profile, work, stages);
	forecast->step = forecast->run.step;
	forecast->memory = memory_cost(&forecast->profile, work, &forecast->run);
	forecast->rollout = rollout_of(work, &forecast->memory);
	half = interval_half_width(arena, &forecast->profile, work, stages);
	forecast->low = (1 - half) * forecast->step.total;
	forecast->high = (1 + half) * forecast->step.total;
	tokens = (double)work->microbatches * (double)workload_sequences(work) * (double)work->dp *
		 (double)work->seq;
	forecast->tokens = tokens / forecast->step.total / (double)work->world;
	forecast->flops = forecast->tokens * model_operations(work);
	peak = TERA * profile_get(&forecast->profile, FIGURE_PEAK_BF16);
	forecast->mfu = peak > 0 ? forecast->flops / peak : 0;
}

void forecast_run(struct forecast *forecast, struct arena *arena)
{
	const struct workload *work = &forecast->work;
	const struct profile *worst = &forecast->profile;
	int64_t i;

	forecast_step(forecast, arena);
	for (i = 0; work->hurt && i < work->pp; i++)
		if (work->hurt[i].adapters > profile_get(worst, FIGURE_NIC_LOST))
			worst = workload_profile_at(arena, &forecast->profile, work, i);
	forecast->traffic = (struct traffics) { 0 };
	traffic_of(arena, worst, work, &forecast->traffic);
	traffic_expose(&forecast->traffic, &forecast->step);
}

const char *forecast_read(struct forecast *forecast, const struct job *job, const struct plan *plan,
			  const struct source *numbers)
{
	return forecast_read_on(forecast, job, plan, numbers, NULL);
}

static const char *begin_on(struct forecast *forecast, const struct job *job,
			    const struct plan *plan, const struct source *numbers, const char *gpu)
{
	const char *missing = job_trains_nothing(job);

	memset(forecast, 0, sizeof(*forecast));
	if (missing) /* what else it lacks does not count */
		return missing;
	missing = workload_profile(&forecast->profile, job, gpu);
	if (missing)
		return missing;
	if (numbers)
		profile_override(&forecast->profile, numbers, job->findings);
	return workload_read(&forecast->work, &forecast->profile, job, plan);
}

const char *forecast_begin(struct forecast *forecast, const struct job *job,
			   const struct plan *plan, const struct source *numbers)
{
	return begin_on(forecast, job, plan, numbers, NULL);
}

const char *forecast_read_on(struct forecast *forecast, const struct job *job,
			     const struct plan *plan, const struct source *numbers, const char *gpu)
{
	const char *missing = begin_on(forecast, job, plan, numbers, gpu);

	if (!missing)
		forecast_run(forecast, job->arena);
	return missing;
}

const struct forecast *forecast_of(struct job *job)
{
	struct forecast *forecast;

	if (job->forecast || job->unforecast)
		return job->forecast;
	forecast = arena_new(job->arena, struct forecast);
	job->unforecast = forecast_read(forecast, job, job->applied, NULL);
	if (!job->unforecast)
		job->forecast = forecast;
	return job->forecast;
}

/* The ranks that meet over one kind of parameters are the same, and do the same. */
static bool same_sharing(const struct sharding *a, const struct sharding *b)
{
	return layout_same_groups(&a->shard, &b->shard) &&
	       layout_same_groups(&a->replicate, &b->replicate);
}

bool forecast_shares_otherwise(struct job *job)
{
	const struct plan *applied = job->applied, *asked;

	if (!applied || applied->error || applied->unmodelled || !job->differences.list.count)
		return false;
	asked = job_asked(job);
	if (!asked)
		return false;
	return !same_sharing(&asked->dense, &applied->dense) ||
	       (asked->has_expert && applied->has_expert &&
		!same_sharing(&asked->expert, &applied->expert));
}

bool forecast_differs(struct job *job)
{
	const char *type;

	return forecast_shares_otherwise(job) ||
	       (casting_lost(job, &type) && !job->applied->error && job_asked(job));
}

struct traffics forecast_traffic(const struct job *job, const struct plan *plan)
{
	struct traffics traffics = { 0 };
	struct workload *work = arena_new(job->arena, struct workload); /* rows name its groups */
	struct profile profile;
	const char *no_device = workload_profile(&profile, job, NULL);

	workload_read(work, no_device ? NULL : &profile, job, plan);
	if (work->plan)
		traffic_of(job->arena, no_device ? NULL : &profile, work, &traffics);
	return traffics;
}

enum fits forecast_fits(const struct forecast *forecast)
{
	const struct memory *memory = &forecast->memory;

	if (memory->probability < memory->tight)
		return FITS_YES;
	return memory->probability > 1 - memory->tight ? FITS_NO : FITS_TIGHT;
}

bool forecast_runs_out(const struct forecast *forecast)
{
	const struct memory *memory = &forecast->memory;
	const double certain = profile_get(&forecast->profile, FIGURE_CERTAIN);

	return memory->probability >= certain && !forecast->work.sharing_open &&
	       !forecast->work.not_counted &&
	       (!forecast->work.lengths_open ||
		risk_of_peak(&forecast->profile, memory->floor, memory->capacity) >= certain);
}

const char *fits_name(enum fits fits)
{
	static const char *const names[] = { "yes", "tight", "no" };

	return names[fits];
}
