#include "sim/stage.h"

#include "cost/kernel.h"

#include <math.h>

static void add_pass(struct pass *sum, struct pass part, double share)
{
	sum->forward += share * part.forward;
	sum->backward += share * part.backward;
}

static void add_unit(struct unit_cost *sum, const struct unit_cost *unit, double share)
{
	add_pass(&sum->all, unit->all, share);
	add_pass(&sum->tensor, unit->tensor, share);
	add_pass(&sum->context, unit->context, share);
	add_pass(&sum->expert, unit->expert, share);
	sum->weight += share * unit->weight;
	sum->elements += share * unit->elements;
	sum->experts += share * unit->experts;
}

/* A collective of the forward pass is run again where the pass is. */
static struct pass exposed(const struct layer *layer, struct pass pass)
{
	bool again = layer->again > layer->attention.forward;

	return (struct pass) { pass.forward, pass.backward + (again ? pass.forward : 0) };
}

static struct unit_cost block_of(const struct layer *layer)
{
	return (struct unit_cost) {
		.all = { layer_forward(layer), layer_backward(layer) },
		.tensor = exposed(layer, layer->tensor),
		.context = exposed(layer, layer->context),
		.expert = exposed(layer, layer->expert),
		.weight = layer->weight,
		.elements = layer->parameters,
		.experts = layer->expert_parameters,
	};
}

static double table_elements(const struct workload *work)
{
	return (double)work->model->vocab * (double)work->model->hidden / (double)work->tp;
}

static struct unit_cost embedding_of(const struct profile *profile, const struct workload *work)
{
	double rows =
		(double)workload_tokens(work) / (work->sequence_parallel ? (double)work->tp : 1);
	double time = kernel_memory(profile, 8 * (double)work->model->hidden * rows);

	return (struct unit_cost) { .all = { time, time }, .elements = table_elements(work) };
}

static struct unit_cost head_of(const struct profile *profile, const struct workload *work)
{
	struct pass pass = layer_head(profile, work);
	bool shared = work->model->tied_embeddings && work->pp == 1;

	return (struct unit_cost) { .all = pass,
				    .weight = pass.backward / 2,
				    .elements = shared ? 0 : table_elements(work) };
}

/* Layers of a stage, of which `dense` have no experts. */
struct depth {
	double layers, dense;
};

static struct depth depth_of(const struct workload *work, int64_t stage, int64_t stages)
{
	const struct model *model = work->model;
	double each = (double)model->layers / (double)stages, first = each * (double)stage;
	int64_t i;

	if (work->stage_layers) {
		each = (double)work->stage_layers[stage];
		for (first = 0, i = 0; i < stage; i++)
			first += (double)work->stage_layers[i];
	}
	if (model->experts == 0)
		return (struct depth) { each, each };
	return (struct depth) { each, fmin(fmax((double)model->dense_layers - first, 0), each) };
}

static void put_unit(struct stage_cost *stage, struct unit_cost unit)
{
	stage->units[stage->count++] = unit;
	add_unit(&stage->total, &unit, 1);
}

static void put_blocks(struct stage_cost *stage, struct depth depth, const struct unit_cost *dense,
		       const struct unit_cost *experts)
{
	int32_t i, count = (int32_t)round(depth.layers);
	struct unit_cost mean = { 0 };

	if (count < 1)
		count = 1;
	add_unit(&mean, dense, depth.dense / count);
	mean.blocks[0] = depth.dense / count;
	if (depth.layers > depth.dense)
		add_unit(&mean, experts, (depth.layers - depth.dense) / count);
	mean.blocks[1] = (depth.layers - depth.dense) / count;
	for (i = 0; i < count; i++)
		put_unit(stage, mean);
}

/* Blocks as they are at one position of the pipeline. */
struct blocks {
	struct unit_cost dense, experts;
};

static struct blocks blocks_of(const struct profile *profile, const struct workload *work)
{
	struct layer layer = layer_cost(profile, work, false);
	struct blocks blocks = { .dense = block_of(&layer) };

	if (work->model->experts > 0) {
		layer = layer_cost(profile, work, true);
		blocks.experts = block_of(&layer);
	}
	return blocks;
}

struct stages stages_cost(struct arena *arena, const struct profile *profile,
			  const struct workload *work)
{
	struct stages stages = { .count = (int32_t)(work->pp * work->virtual_stages) };
	const struct blocks healthy = blocks_of(profile, work);
	const struct pipeline_shape shape = workload_shape(work, 1);
	int32_t i;

	stages.items = arena_array(arena, (size_t)stages.count, sizeof(*stages.items));
	for (i = 0; i < stages.count; i++) {
		struct stage_cost *stage = &stages.items[i];
		struct depth depth = depth_of(work, i, stages.count);
		const struct profile *here;
		struct blocks blocks;
		if (work->pp > 1)
			stage->rank = (int32_t)schedule_rank(work->schedule, &shape, i);
		here = workload_profile_at(arena, profile, work, stage->rank);
		blocks = here == profile ? healthy : blocks_of(here, work);
		stage->units = arena_array(arena, (size_t)depth.layers + 4, sizeof(*stage->units));
		if (i == 0)
			put_unit(stage, embedding_of(profile, work));
		put_blocks(stage, depth, &blocks.dense, &blocks.experts);
		if (i == stages.count - 1)
			put_unit(stage, head_of(profile, work));
	}
	return stages;
}

struct unit_cost stages_of_rank(const struct stages *stages, int32_t rank)
{
	struct unit_cost sum = { 0 };
	int32_t i;

	for (i = 0; i < stages->count; i++)
		if (stages->items[i].rank == rank)
			add_unit(&sum, &stages->items[i].total, 1);
	return sum;
}
