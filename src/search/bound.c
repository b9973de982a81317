#include "search/bound.h"

#include "framework/wing.h"
#include "base/text.h"
#include "search/candidate.h"
#include "sim/activations.h"
#include "sim/layer.h"
#include "sim/overhead.h"
#include "sim/states.h"

#include <math.h>
#include <string.h>

/* What rounding to picoseconds may take off. */
#define ROUNDING 1e-6
#define GIB	 1073741824.0

/* ---- workloads that stand for their site ---- */

/* Layouts that are tried for one that has a workload. */
enum { ATTEMPTS = 512 };

static void count_elements(struct reference *reference)
{
	const struct model *model = reference->work.model;
	size_t i;
	int64_t layer;

	for (i = 0; i < model->parameters.count; i++) {
		const struct parameter *parameter = &model->parameters.items[i];
		double elements = 1;
		int dim;
		for (dim = 0; dim < parameter->dims; dim++)
			elements *= (double)parameter->shape[dim];
		*(parameter->expert ? &reference->routed : &reference->dense) += elements;
	}
	for (layer = 0; layer < model->layers; layer++)
		reference->blocks[model_layer_has_experts(model, (int)layer)]++;
}

static bool take_workload(struct reference *reference, const struct space *space,
			  const struct aim *aim, uint64_t number)
{
	const struct candidate candidate = space_candidate(space, number);
	const struct site *site = space->sites.items[candidate.at[AXIS_SITE]];
	struct said said = { .arena = space->arena };
	struct job *job = arena_new(space->arena, struct job);
	struct forecast forecast;

	candidate_settings(space, &candidate, &said);
	job_vary(job, space->arena, &site->job, said.list.items, said.list.count, 0);
	if (job->applied->error || forecast_read(&forecast, job, job->applied, aim->numbers))
		return false;
	reference->known = true;
	reference->profile = forecast.profile;
	reference->work = forecast.work;
	reference->open = forecast.memory.open_count > 0;
	count_elements(reference);
	return true;
}

void bounds_prepare(struct bounds *bounds, const struct space *space, const struct aim *aim)
{
	const uint64_t count = space_count(space);
	struct reference *sites;
	int attempts = 0;
	size_t i;

	bounds->sites = sites =
		arena_array(space->arena, space->sites.count, sizeof(*bounds->sites));
	for (i = 0; i < space->layouts.count; i++) {
		struct reference *reference = &sites[space->layouts.items[i].at[AXIS_SITE]];
		const uint64_t first = space->first.items[i];
		if (reference->known || first == space->first.items[i + 1] || first == count ||
		    attempts == ATTEMPTS)
			continue;
		attempts = take_workload(reference, space, aim, first) ? 0 : attempts + 1;
	}
}

/* ---- the workload of a candidate, without groups ---- */

static void put_recompute(struct workload *work, const struct space *space,
			  const struct candidate *candidate)
{
	const struct choice *choice = &space->recompute.list.items[candidate->at[AXIS_RECOMPUTE]];
	const char *mode = choice->said[0].value;

	work->recompute_every = 1;
	if (!choice->count)
		return;
	if (!strcmp(mode, "full"))
		work->recompute = RECOMPUTE_FULL;
	else if (strcmp(mode, "selective") != 0)
		work->recompute = RECOMPUTE_NONE;
	else if (work->megatron)
		work->recompute = RECOMPUTE_ATTENTION;
	else if (choice->count > 1 && text_to_int(choice->said[1].value, &work->recompute_every))
		work->recompute = RECOMPUTE_LAYERS;
	else
		work->recompute = RECOMPUTE_OPERATORS;
}

static struct group alone(void)
{
	return (struct group) { .name = "", .ranks = 1 };
}

/* Sequence parallelism takes elements from every rank: what may have it, has it here. */
static struct workload workload_like(const struct reference *reference, const struct space *space,
				     const struct candidate *candidate)
{
	const struct site *site = space->sites.items[candidate->at[AXIS_SITE]];
	const int64_t *at = candidate->at;
	struct workload work = reference->work;

	work.pp = at[AXIS_PP];
	work.tp = at[AXIS_TP];
	work.cp = at[AXIS_CP];
	work.ep = at[AXIS_EP];
	work.etp = at[AXIS_ETP] ? at[AXIS_ETP] : 1;
	work.dp = candidate_dp(space, candidate);
	work.micro = at[AXIS_MICRO];
	work.microbatches = site->batch / (work.dp * work.micro);
	work.sequence_parallel = work.tp > 1;
	work.tensor = work.context = work.expert = work.pipeline = alone();
	work.data[DENSE] = work.data[EXPERTS] = work.copies[DENSE] = work.copies[EXPERTS] = alone();
	if (work.deepspeed) /* of whose stages the last keeps the least */
		work.zero = ZERO_PARAMETERS;
	put_recompute(&work, space, candidate);
	return work;
}

/* ---- the bounds ---- */

static double time_bound(const struct reference *reference, const struct workload *work)
{
	double pass = 0;
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		struct layer layer;
		if (!reference->blocks[kind])
			continue;
		layer = layer_cost(&reference->profile, work, kind == EXPERTS);
		pass += (double)reference->blocks[kind] *
			(layer_forward(&layer) + layer_backward(&layer));
	}
	return (1 - ROUNDING) * (double)work->microbatches * pass / (double)work->pp;
}

/* Bytes per rank of what is kept so wide of each element, cut as far as that may be cut. */
static double kept_bytes(const struct reference *reference, const struct workload *work,
			 const struct site *site, const struct candidate *candidate, double width,
			 bool by_optimizer)
{
	const double world = (double)work->world, parameters = reference->dense + reference->routed;
	double spread;

	if (!site->derived_dp)
		return width * parameters * (double)candidate->at[AXIS_REPLICATE] / world;
	if (by_optimizer || work->deepspeed || work->zero == ZERO_PARAMETERS ||
	    work->zero == ZERO_GRADIENTS)
		return width * parameters / world;
	spread = reference->dense / (double)(work->tp * work->pp) +
		 reference->routed / (double)(work->ep * work->etp * work->pp);
	return width * fmin(spread, parameters);
}

/*
 * The blocks of a rank have gone forward when none of their gradients is there, where those come
 * and go with the step.
 */
static double memory_bound(const struct reference *reference, const struct workload *work,
			   const struct site *site, const struct candidate *candidate)
{
	const struct activations activations = activations_of(work);
	const struct overhead overhead = overhead_of(&reference->profile, work);
	const struct states states = states_of(work);
	double blocks = 0, gradients, kept;
	int kind;

	for (kind = 0; kind < KINDS; kind++)
		blocks +=
			(double)reference->blocks[kind] * activations.kept[kind] / (double)work->pp;
	gradients = kept_bytes(reference, work, site, candidate, states.held[HELD_GRADIENT], false);
	kept = kept_bytes(reference, work, site, candidate, states.held[HELD_PARAMETER], false) +
	       kept_bytes(reference, work, site, candidate, states.held[HELD_OPTIMIZER], true);
	kept += states.gradients_let_go ? fmax(blocks, gradients) : blocks + gradients;
	return (1 - ROUNDING) * ((1 + overhead.slack) * kept + overhead.context);
}

struct bound bound_of(const struct bounds *bounds, const struct space *space,
		      const struct candidate *candidate)
{
	const struct reference *reference =
		bounds->sites ? &bounds->sites[candidate->at[AXIS_SITE]] : NULL;
	const struct site *site = space->sites.items[candidate->at[AXIS_SITE]];
	struct workload work;

	if (!reference || !reference->known)
		return (struct bound) { 0 };
	work = workload_like(reference, space, candidate);
	return (struct bound) { time_bound(reference, &work),
				memory_bound(reference, &work, site, candidate), reference->open,
				GIB * profile_get(&reference->profile, FIGURE_MEMORY) };
}
