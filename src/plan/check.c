#include "base/die.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <string.h>

/* Boxes that are held against each other; larger meshes are checked by their volume alone. */
enum { BOXES_PAIRED = 256, BOXES_SUMMED = 65536, PARAMETERS_CHECKED = 64 };

static void check_layout(const struct plan *plan, const char *name, const struct layout *layout)
{
	struct layout rest;

	if (layout->modes && !layout_complement(layout, plan->world, &rest))
		bug("%s, %" PRId64 " ranks, does not tile a world of %" PRId64, name,
		    layout_size(layout), plan->world);
}

static void check_meshes(const struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->meshes.count; i++)
		check_layout(plan, plan->meshes.items[i].name, &plan->meshes.items[i].layout);
}

/* Those who share and those who repeat are different directions of one world. */
static void check_sharding(const struct plan *plan, const char *name,
			   const struct sharding *sharding)
{
	struct layout both = layout_join(sharding->replicate, sharding->shard);

	check_layout(plan, name, &sharding->shard);
	check_layout(plan, name, &sharding->replicate);
	check_layout(plan, name, &both);
}

/* What a strategy is called and what its groups do. */
static void check_strategy(const struct plan *plan)
{
	bool shards = layout_size(&plan->dense.shard) > 1;
	bool replicates = layout_size(&plan->dense.replicate) > 1;
	enum strategy strategy = plan->dense.strategy;

	if (shards && strategy != STRATEGY_FSDP && strategy != STRATEGY_HSDP &&
	    strategy != STRATEGY_HSDP_FT)
		bug("%s, but parameters are shared", strategy_name(strategy));
	if (replicates && (strategy == STRATEGY_NONE || strategy == STRATEGY_FSDP ||
			   strategy == STRATEGY_FSDP_SHARD1))
		bug("%s, but parameters are repeated", strategy_name(strategy));
}

/* The dims that cut a parameter, and how many parts they make. */
static struct layout cutting(const struct sharded *sharded)
{
	struct layout parts = { 0 };
	int i;

	for (i = 0; i < sharded->dims; i++)
		if (sharded->dim[i].placement.kind == PLACE_SHARD ||
		    sharded->dim[i].placement.kind == PLACE_STRIDED_SHARD)
			parts = layout_join(parts, *sharded->dim[i].layout);
	return parts;
}

static bool overlap(const struct box *a, const struct box *b)
{
	int i;

	for (i = 0; i < a->dims; i++)
		if (a->offset[i] + a->shape[i] <= b->offset[i] ||
		    b->offset[i] + b->shape[i] <= a->offset[i])
			return false;
	return box_volume(a) > 0 && box_volume(b) > 0;
}

static void check_apart(const struct sharded *sharded, const struct layout *parts, int64_t count)
{
	struct box boxes[BOXES_PAIRED];
	int64_t i, j;

	for (i = 0; i < count; i++) {
		boxes[i] = plan_box(sharded, layout_offset(parts, i));
		for (j = 0; j < i; j++)
			if (overlap(&boxes[i], &boxes[j]))
				bug("%s: parts %" PRId64 " and %" PRId64 " overlap",
				    sharded->parameter->fqn, j, i);
	}
}

/* The parts of a parameter fill it and do not overlap. */
static void check_boxes(const struct sharded *sharded)
{
	const struct parameter *parameter = sharded->parameter;
	struct layout parts = cutting(sharded);
	int64_t count = layout_size(&parts), sum = 0, volume = 1, i;

	if (count > BOXES_SUMMED)
		return;
	for (i = 0; i < parameter->dims; i++)
		volume *= parameter->shape[i];
	for (i = 0; i < count; i++) {
		struct box box = plan_box(sharded, layout_offset(&parts, i));
		sum += box_volume(&box);
	}
	if (sum != volume)
		bug("%s: parts hold %" PRId64 " of %" PRId64 " elements", parameter->fqn, sum,
		    volume);
	if (count <= BOXES_PAIRED)
		check_apart(sharded, &parts, count);
}

static void check_parameters(const struct plan *plan)
{
	size_t step = plan->parameters.count / PARAMETERS_CHECKED + 1, i;

	for (i = 0; i < plan->parameters.count; i++) {
		const struct sharded *sharded = &plan->parameters.items[i];
		if (sharded->unit >= 0 && (size_t)sharded->unit >= plan->units.count)
			bug("%s belongs to unit %d of %zu", sharded->parameter->fqn, sharded->unit,
			    plan->units.count);
		if (plan->stages.count && (size_t)sharded->stage >= plan->stages.count)
			bug("%s is on stage %d of %zu", sharded->parameter->fqn, sharded->stage,
			    plan->stages.count);
		if (i % step == 0)
			check_boxes(sharded);
	}
}

void plan_check(const struct plan *plan)
{
	if (plan->error || !plan->world || plan->unmodelled)
		return;
	check_meshes(plan);
	check_sharding(plan, "data parallel", &plan->dense);
	if (plan->has_expert)
		check_sharding(plan, "data parallel of experts", &plan->expert);
	check_strategy(plan);
	check_parameters(plan);
}
