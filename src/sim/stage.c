#include "sim/stage.h"

#include "cost/kernel.h"
#include "sim/logits.h"
#include "sim/recompute.h"

#include <math.h>

static void add_pass(struct pass *sum, struct pass part)
{
	sum->forward += part.forward;
	sum->backward += part.backward;
}

static void add_times(struct pass *sum, double times, struct pass part)
{
	add_pass(sum, (struct pass) { times * part.forward, times * part.backward });
}

static void add_holding(struct holding *sum, const struct holding *holding)
{
	int kind, held;

	for (kind = 0; kind < KINDS; kind++) {
		sum->shares[kind].whole += holding->shares[kind].whole;
		for (held = 0; held < HELDS; held++)
			sum->shares[kind].kept[held] += holding->shares[kind].kept[held];
		sum->first[kind] += holding->first[kind];
		sum->last[kind] += holding->last[kind];
	}
}

static void add_unit(struct unit_cost *sum, const struct unit_cost *unit)
{
	sum->blocks[DENSE] += unit->blocks[DENSE];
	sum->blocks[EXPERTS] += unit->blocks[EXPERTS];
	add_pass(&sum->all, unit->all);
	add_pass(&sum->tensor, unit->tensor);
	add_pass(&sum->context, unit->context);
	add_pass(&sum->expert, unit->expert);
	add_pass(&sum->host, unit->host);
	sum->weight += unit->weight;
	add_holding(&sum->holding, &unit->holding);
}

/* Of collectives of the forward pass a share is run again in the backward one. */
static struct pass exposed(double share, struct pass pass)
{
	return (struct pass) { pass.forward, pass.backward + share * pass.forward };
}

static struct unit_cost block_of(const struct workload *work, const struct layer *layer,
				 bool experts)
{
	return (struct unit_cost) {
		.all = { layer_forward(layer), layer_backward(layer) },
		.tensor = exposed(recompute_sends(work, experts), layer->tensor),
		.context = exposed(recompute_share(work), layer->context),
		.expert = exposed(recompute_sends_experts(work), layer->expert),
		.host = layer->host,
		.weight = layer->weight,
	};
}

static struct unit_cost embedding_of(const struct profile *profile, const struct workload *work)
{
	double rows =
		(double)workload_tokens(work) / (work->sequence_parallel ? (double)work->tp : 1);
	double time = kernel_memory(profile, 4 * (double)work->param_bytes *
						     (double)work->model->hidden * rows);

	return (struct unit_cost) { .all = { time, time } };
}

static struct unit_cost head_of(const struct profile *profile, const struct workload *work)
{
	struct pass pass = logits_time(profile, work);

	return (struct unit_cost) { .all = pass, .weight = pass.backward / 2 };
}

/* What units cost at one position of the pipeline. */
struct costs {
	struct unit_cost embedding, head, blocks[KINDS];
};

/*
 * A layer that predicts one token more is a projection of twice the hidden numbers, a block like
 * the last one, and the output projection with its loss once more, all beside that
 * (NVIDIA/Megatron-LM@d98e8a64 core/transformer/multi_token_prediction.py).
 */
static void predict_more(const struct profile *profile, const struct workload *work,
			 struct costs *costs)
{
	const struct model *model = work->model;
	const double hidden = (double)model->hidden, out = hidden / (double)work->tp;
	const double rows = (double)workload_tokens(work), more = (double)model->mtp;
	const bool experts = model_layer_has_experts(model, model->layers - 1);
	const struct workload own = recompute_of_predictions(work);
	const struct layer layer = layer_cost(profile, &own, experts);
	const struct unit_cost block = block_of(&own, &layer, experts);
	struct unit_cost *head = &costs->head;
	const double once = kernel_gemm(profile, work->format, rows, out, 2 * hidden);
	const struct unit_cost projection = { .all = { once, 2 * once }, .weight = once };
	const struct unit_cost *const parts[] = { &projection, &block };
	const struct pass logits = head->all;
	const double weight = head->weight;
	size_t i;

	add_times(&head->all, more, logits);
	head->weight += more * weight;
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		add_times(&head->all, more, parts[i]->all);
		add_times(&head->tensor, more, parts[i]->tensor);
		add_times(&head->context, more, parts[i]->context);
		add_times(&head->expert, more, parts[i]->expert);
		add_times(&head->host, more, parts[i]->host);
		head->weight += more * parts[i]->weight;
	}
}

static struct costs costs_of(const struct profile *profile, const struct workload *work)
{
	struct costs costs = { .embedding = embedding_of(profile, work),
			       .head = head_of(profile, work) };
	struct layer layer;
	int kind;

	for (kind = 0; kind < (work->model->experts > 0 ? KINDS : EXPERTS); kind++) {
		layer = layer_cost(profile, work, kind == EXPERTS);
		costs.blocks[kind] = block_of(work, &layer, kind);
		costs.blocks[kind].blocks[kind] = 1;
	}
	if (work->model->mtp > 0)
		predict_more(profile, work, &costs);
	return costs;
}

static struct unit_cost cost_of(const struct costs *costs, const struct workload *work,
				const struct holding *holding)
{
	struct unit_cost unit;

	if (holding->layer == HOLDING_EMBEDDING)
		unit = costs->embedding;
	else if (holding->layer == HOLDING_HEAD)
		unit = costs->head;
	else
		unit = costs->blocks[model_layer_has_experts(work->model, holding->layer)];
	unit.holding = *holding;
	return unit;
}

static void fill_stage(struct stage_cost *stage, const struct costs *costs,
		       const struct workload *work, const struct holdings *holdings)
{
	size_t i;

	for (i = 0; i < holdings->list.count; i++) {
		const struct unit_cost unit = cost_of(costs, work, &holdings->list.items[i]);
		add_unit(&stage->total, &unit);
		if (stage->units)
			stage->units[i] = unit;
	}
	stage->count = stage->units ? (int32_t)holdings->list.count : 0;
}

/* With their units, or the totals alone. */
static struct stages cost_all(struct arena *arena, const struct profile *profile,
			      const struct workload *work, bool units)
{
	struct stages stages = { .count = holding_stages(work) };
	const struct costs healthy = costs_of(profile, work);
	int32_t i;

	stages.items = arena_array(arena, (size_t)stages.count, sizeof(*stages.items));
	for (i = 0; i < stages.count; i++) {
		struct stage_cost *stage = &stages.items[i];
		const struct holdings *holdings = &work->holdings[i];
		const struct profile *here;
		struct costs costs = healthy;
		if (work->plan->stages.count)
			stage->rank = (int32_t)work->plan->stages.items[i].pp_rank;
		here = workload_profile_at(arena, profile, work, stage->rank);
		if (here != profile)
			costs = costs_of(here, work);
		if (units)
			stage->units =
				arena_array(arena, holdings->list.count + 1, sizeof(*stage->units));
		fill_stage(stage, &costs, work, holdings);
	}
	return stages;
}

struct stages stages_cost(struct arena *arena, const struct profile *profile,
			  const struct workload *work)
{
	return cost_all(arena, profile, work, true);
}

struct stages stages_totals(struct arena *arena, const struct profile *profile,
			    const struct workload *work)
{
	return cost_all(arena, profile, work, false);
}

void stage_gathered(const struct stage_cost *stage, bool lets_go, double elements[KINDS])
{
	int32_t i;
	int kind;

	for (kind = 0; kind < KINDS; kind++)
		for (elements[kind] = 0, i = 0; i < stage->count; i++)
			if (stage->units[i].holding.lets_go == lets_go)
				elements[kind] += stage->units[i].holding.first[kind];
}

struct unit_cost stages_of_rank(const struct stages *stages, int32_t rank)
{
	struct unit_cost sum = { 0 };
	int32_t i;

	for (i = 0; i < stages->count; i++)
		if (stages->items[i].rank == rank)
			add_unit(&sum, &stages->items[i].total);
	return sum;
}
