#include "search/bound.h"

#include "base/text.h"
#include "framework/wing.h"
#include "search/bound_memory.h"
#include "search/candidate.h"
#include "search/dealing.h"
#include "sim/engine.h"
#include "sim/memory.h"
#include "sim/risk.h"
#include "sim/step.h"

#include <math.h>
#include <string.h>

/* What rounding to picoseconds may take off. */
#define ROUNDING 1e-6
#define GIB	 1073741824.0

void bounds_prepare(struct bounds *bounds, struct space *space, const struct aim *aim)
{
	bounds->borne = (struct borne) { 1, 1 };
	bounds->microbatches = microbatches_new(space->arena);
	bounds->flights = flights_new(space->arena);
	bounds->gathers = gathers_new(space->arena);
	bounds->sites = references_make(space, aim);
}

/* ---- the workload of a layout, without groups ---- */

static struct group alone(void)
{
	return (struct group) { .name = "", .ranks = 1 };
}

/* Ranks of tensor parallelism are next to each other: no other place for them is nearer. */
static struct group neighbours(int64_t ranks)
{
	return (struct group) { .name = "tp", .layout = layout_axis(ranks, 1), .ranks = ranks };
}

/* What the choice says of a field, or the config. */
static bool chosen(const struct layout_bounds *layout, const struct choice *choice,
		   enum field_id field, bool otherwise)
{
	const char *said = choice_says(choice, field);

	return *said ? !strcmp(said, "true")
		     : setting_bool(&layout->site->job.settings, field, otherwise);
}

/* How tensor parallelism cuts sequences and whether it is waited for. */
static void put_tensor(struct layout_bounds *layout, const struct choice *choice)
{
	const struct reference *reference = layout->reference;
	struct workload *work = &layout->work;

	work->tensor = work->tp > 1 ? neighbours(work->tp) : alone();
	work->sequence_parallel = work->tp > 1 && chosen(layout, choice, FIELD_SEQUENCE_PARALLEL,
							 reference->sequences);
	work->async_tp = chosen(layout, choice, FIELD_ASYNC_TP, work->async_tp);
	work->overlap_tp =
		chosen(layout, choice, FIELD_OVERLAP_TP, work->overlap_tp || reference->overlaps);
}

/* The one that is chosen, or the config's own, or the usual one, as where stages lie otherwise. */
static const struct schedule *schedule_of(const struct layout_bounds *layout,
					  const struct choice *choice)
{
	const struct job *job = &layout->site->job;
	const char *name =
		choice->count ? choice->name : setting_text(&job->settings, FIELD_PP_SCHEDULE, "");
	const struct schedule *schedule = schedule_find(name);

	if (!schedule || (schedule->vee && job_loops(job, schedule->name)))
		name = layout->per_rank > 1 ? "Interleaved1F1B" : "1F1B";
	return workload_schedule(&layout->work, name);
}

/* Where a layout does not say it, experts are cut as the rest is, or not at all: 0, if so. */
static int64_t expert_tensor(const struct layout_bounds *layout)
{
	const int64_t *at = layout->candidate.at;
	const bool follows = layout->site->job.settings.items[FIELD_ETP].origin == ORIGIN_DERIVED;

	return at[AXIS_ETP] ? at[AXIS_ETP] : follows || at[AXIS_TP] == 1 ? at[AXIS_TP] : 0;
}

/* Ranks that tensor parallelism leaves to experts share these, though nobody shares the rest. */
static bool shares_experts(const struct layout_bounds *layout)
{
	const struct workload *work = &layout->work;
	const int64_t cut = work->ep * (work->etp ? work->etp : 1);

	return work->ep > 1 &&
	       work->dp * work->cp * work->tp > cut * layout->candidate.at[AXIS_REPLICATE];
}

/* Of one that says who shares parameters: where nobody does, its ZeRO stage counts. */
static enum zero shared_of(const struct layout_bounds *layout)
{
	const int64_t stage = setting_int(&layout->site->job.settings, FIELD_ZERO_STAGE, ZERO_NONE);

	if (bound_shares_dense(layout) || shares_experts(layout))
		return ZERO_PARAMETERS;
	return stage > ZERO_NONE ? ZERO_OPTIMIZER : ZERO_NONE;
}

/* Whether two ranks of a node exchange no faster than two of different nodes: neighbours are not
 * the least that traffic takes then. */
static bool far_is_near(const struct layout_bounds *layout)
{
	const struct workload *work = &layout->work;
	const struct group near = neighbours(2);
	const struct group far = { .layout = layout_axis(2, work->gpus_per_node), .ranks = 2 };
	struct call call = { .op = &collective_all_to_all, .group = &near, .bytes = GIB };
	const double there = call_seconds(work, &layout->reference->profile, &call);

	call.group = &far;
	return call_seconds(work, &layout->reference->profile, &call) <= there;
}

static void put_workload(struct layout_bounds *layout, const struct space *space)
{
	const struct reference *reference = layout->reference;
	const int64_t *at = layout->candidate.at;
	struct workload *work = &layout->work;

	*work = reference->work;
	work->pipelined = 0; /* a candidate adds up no gradients of several pipelines */
	work->pp = at[AXIS_PP];
	work->tp = at[AXIS_TP];
	work->cp = at[AXIS_CP];
	work->sp = at[AXIS_SEQUENCE];
	layout->inside = candidate_inside(space, &layout->candidate);
	if (reference->blocks[EXPERTS]) /* else nothing is said of it */
		work->ep = at[AXIS_EP];
	work->etp = expert_tensor(layout);
	work->dp = candidate_dp(space, &layout->candidate);
	work->virtual_stages = layout->per_rank;
	work->schedule =
		work->pp > 1 ? schedule_of(layout, &space->schedule.list.items[at[AXIS_SCHEDULE]])
			     : NULL;
	put_tensor(layout, &space->tensor.list.items[at[AXIS_TENSOR]]);
	work->context = work->sequence = work->pipeline = alone();
	work->expert = work->ep > 1 ? neighbours(work->ep) : alone();
	work->data[DENSE] = neighbours(work->dp * work->cp / at[AXIS_REPLICATE]);
	layout->far_is_near = far_is_near(layout);
	if (layout->far_is_near)
		work->tensor = work->expert = alone();
	work->data[EXPERTS] = work->copies[DENSE] = work->copies[EXPERTS] = alone();
	if (layout->site->knows_sharing)
		work->zero = shared_of(layout);
	if (work->zero == ZERO_OPTIMIZER)
		work->data[DENSE] = neighbours(work->dp * work->cp);
	if (work->deepspeed) /* of whose stages the last keeps the least */
		work->zero = ZERO_PARAMETERS;
	work->fetch = FETCH_BLOCK; /* the others have no experts to fetch */
}

/* ---- time ---- */

/*
 * A pipeline's rank begins when its first microbatch has come through all stages before it, and
 * where backward passes are whole, what it did last goes back through them: on average half of
 * what that takes the last one.
 */
static void put_filling(struct layout_bounds *layout, const struct dealing *dealing)
{
	if (layout->work.pp < 2)
		return;
	layout->filling = fmax((double)dealing->each * (double)(layout->work.pp - 1) / 2 -
				       (double)dealing->first,
			       0);
}

static bool goes_back(const struct schedule *schedule)
{
	return schedule && !schedule->splits;
}

/* Seconds of a block that a rank waits for, on the way there, and back where that is the last. */
static double filling(const struct layout_bounds *layout)
{
	return layout->microbatch->there +
	       (goes_back(layout->work.schedule) ? layout->microbatch->back : 0);
}

/*
 * One microbatch goes through all stages, there and back, of which others may make the weights'
 * gradients later; and what is not simulated of a step computes at least.
 */
static double chain(const struct layout_bounds *layout)
{
	const struct workload *work = &layout->work;
	const struct microbatch *microbatch = layout->microbatch;
	const double others = (double)(work->microbatches - layout->simulated);

	return microbatch->pass - (goes_back(work->schedule) ? 0 : microbatch->weights) +
	       others * microbatch->pass / (double)work->pp;
}

/* Gathers of a rank follow each other, before forward passes and most backward ones. */
static double gathering(const struct layout_bounds *layout)
{
	const struct workload *work = &layout->work;
	const double others = (double)(work->microbatches - layout->simulated);
	double most = 0;
	int i;

	if (work->pp < 2)
		return 2 * (double)work->microbatches * (double)layout->reference->blocks[DENSE] *
		       layout->gather;
	for (i = 0; i < layout->count && layout->ranks[i].flights; i++) {
		const struct pipeline_rank *rank = &layout->ranks[i];
		const int64_t *gathers = rank->flights->gathers, *blocks = rank->blocks;
		most = fmax(most, (double)(gathers[0] * blocks[0] + gathers[1] * blocks[1]));
	}
	if (most <= 0 || work->schedule->pairs)
		return most * layout->gather;
	return most * layout->gather + others * layout->microbatch->pass / (double)work->pp;
}

/* What a rank waits for first, or at last, and computes: some have more blocks than others. */
static double computing(const struct layout_bounds *layout)
{
	const struct workload *work = &layout->work;
	const struct microbatch *microbatch = layout->microbatch;
	double most = 0;
	int i;

	for (i = 0; i < layout->count; i++) {
		const struct pipeline_rank *rank = &layout->ranks[i];
		const double pass = bound_of_stage(layout, microbatch->blocks, (double)rank->all);
		most = fmax(most, (double)work->microbatches * pass +
					  (double)rank->before * filling(layout));
	}
	return most;
}

static double time_bound(const struct layout_bounds *layout)
{
	const struct workload *work = &layout->work;
	const struct microbatch *microbatch = layout->microbatch;
	const bool pairs = work->schedule && work->schedule->pairs;
	const double pass =
		microbatch->pass - (pairs && work->hides_experts ? microbatch->hidden : 0);
	double time = (double)work->microbatches * pass / (double)work->pp;

	if (work->pp > 1 && !pairs)
		time = fmax(time + layout->filling * filling(layout), chain(layout));
	if (work->schedule && !pairs)
		time = fmax(time, computing(layout));
	if (layout->gather > 0)
		time = fmax(time, gathering(layout));
	return (1 - ROUNDING) * time;
}

/* Stages of a rank of a pipeline, of which the smallest of each kind stands for others. */
static void put_rank(struct layout_bounds *layout, int64_t number, const struct dealing *dealing)
{
	struct pipeline_rank *rank = &layout->ranks[layout->count++];
	const struct pipeline_shape shape = workload_shape(&layout->work, 1);
	int64_t slot, all = 0;
	bool met[2] = { false, false };
	int i;

	rank->rank = number;
	for (slot = 0; slot < layout->per_rank; slot++) {
		const int64_t stage = schedule_stage(layout->work.schedule, &shape, number, slot);
		const int64_t blocks = dealing_blocks(dealing, stage);
		const int end = stage == 0 || stage == dealing->stages - 1;
		if (!met[end] || blocks < rank->blocks[end])
			rank->blocks[end] = blocks;
		met[end] = true;
		all += blocks;
	}
	rank->all = all;
	for (slot = 0; slot < number; slot++)
		rank->before += dealing_blocks(dealing, slot);
	rank->share = bound_share(layout, all);
	for (i = 0; i < 2; i++)
		rank->stage[i] = bound_share(layout, rank->blocks[i]);
}

/* Those of the first two ranks and of the last one: whose ends have fewer blocks. */
static void put_ranks(struct layout_bounds *layout, const struct dealing *dealing)
{
	const int64_t pp = layout->work.pp;
	int64_t i;

	for (i = 0; i < (pp < 3 ? pp : 3) && layout->work.schedule && dealing->each > 0; i++)
		put_rank(layout, i < 2 ? i : pp - 1, dealing);
}

/* Where blocks are all alike, and let go after a forward pass. */
static void put_gather(struct layout_bounds *layout, const char *reshard)
{
	const struct reference *reference = layout->reference;
	const struct workload *work = &layout->work;

	if (work->zero != ZERO_PARAMETERS || !layout->site->knows_sharing || layout->far_is_near ||
	    reference->blocks[EXPERTS] || !strcmp(reshard, "never"))
		return;
	layout->gather = gathers_seconds(
		layout->bounds->gathers, &reference->profile, work, layout->candidate.at[AXIS_SITE],
		reference->inside / (double)work->tp, (double)reference->blocks[DENSE]);
}

/* ---- layouts ---- */

/* Where a layout does not say how many stages a rank has, plans of its pipeline do. */
static int64_t per_rank_of(const struct reference *reference, const int64_t *at)
{
	const struct cut_pipeline *cut = reference_pipeline(reference, at[AXIS_PP]);

	if (at[AXIS_VIRTUAL] > 0)
		return at[AXIS_VIRTUAL];
	return cut && cut->stages > cut->pp ? cut->stages / cut->pp : 1;
}

void bounds_begin(struct layout_bounds *layout, const struct bounds *bounds,
		  const struct space *space, const struct candidate *candidate)
{
	const int64_t *at = candidate->at;
	const struct reference *reference = bounds->sites ? &bounds->sites[at[AXIS_SITE]] : NULL;
	struct dealing dealing = { 0 };

	*layout = (struct layout_bounds) { .bounds = bounds, .candidate = *candidate };
	if (!reference || !reference->known)
		return;
	layout->reference = reference;
	layout->site = space->sites.items[at[AXIS_SITE]];
	layout->capacity = GIB * profile_get(&reference->profile, FIGURE_MEMORY);
	layout->per_rank = per_rank_of(reference, at);
	put_workload(layout, space);
	if (layout->work.pp < 2 || at[AXIS_VIRTUAL] > 0) /* else nobody says how many stages */
		dealing =
			dealing_of(reference, layout->work.pp, layout->work.pp * layout->per_rank);
	put_filling(layout, &dealing);
	put_ranks(layout, &dealing);
	bound_memory_begin(layout, space->reshard.list.items[at[AXIS_RESHARD]].name);
	put_gather(layout, space->reshard.list.items[at[AXIS_RESHARD]].name);
}

/* Of so many microbatches as the candidate has, where its schedule takes them. */
static void put_flights(struct layout_bounds *layout)
{
	const struct workload *work = &layout->work;
	struct pipeline_shape shape = workload_shape(work, work->microbatches);
	int i;

	if (layout->flown == work->microbatches)
		return;
	layout->flown = layout->simulated = work->microbatches;
	for (i = 0; i < layout->count; i++)
		layout->ranks[i].flights = NULL;
	if (work->pp < 2 || !work->schedule || schedule_refusal(work->schedule, &shape))
		return;
	layout->simulated = shape.microbatches = step_batches(work);
	for (i = 0; i < layout->count; i++)
		layout->ranks[i].flights = flights_of(layout->bounds->flights, work->schedule,
						      &shape, layout->ranks[i].rank);
}

/* Goes on to one of the layout's candidates. */
static void put_leaf(struct layout_bounds *layout, int64_t micro, int64_t recompute)
{
	const struct way *way = &layout->reference->ways[recompute];
	struct workload *work = &layout->work;

	layout->candidate.at[AXIS_MICRO] = micro;
	layout->candidate.at[AXIS_RECOMPUTE] = recompute;
	work->micro = micro;
	work->microbatches = layout->site->batch * layout->inside / (work->dp * micro);
	put_flights(layout);
	work->recompute = way->recompute;
	work->recompute_every = way->every;
	work->recompute_first = way->first;
	work->recompute_unit = way->unit;
	work->modules = way->modules;
	work->recompute_said = way->said;
	work->recompute_partly = way->partly;
	layout->microbatch =
		microbatch_of(layout->bounds->microbatches, &layout->reference->profile, work,
			      layout->reference->blocks, &layout->candidate);
}

double bounds_time_at(struct layout_bounds *layout, int64_t micro, int64_t recompute)
{
	if (!layout->reference)
		return 0;
	put_leaf(layout, micro, recompute);
	return layout->bounds->borne.time * time_bound(layout);
}

struct bound bounds_at(struct layout_bounds *layout, int64_t micro, int64_t recompute)
{
	const struct reference *reference = layout->reference;
	struct bound bound = { .time = bounds_time_at(layout, micro, recompute) };

	if (!reference)
		return bound;
	bound_memory(layout, &layout->microbatch->activations, &bound);
	bound.capacity = layout->capacity;
	bound.risk = risk_of_peak(&reference->profile, bound.need, bound.capacity) /
		     memory_ways(&layout->work);
	return bound;
}

struct bound bound_of(const struct bounds *bounds, const struct space *space,
		      const struct candidate *candidate)
{
	struct layout_bounds layout;

	bounds_begin(&layout, bounds, space, candidate);
	return bounds_at(&layout, candidate->at[AXIS_MICRO], candidate->at[AXIS_RECOMPUTE]);
}
