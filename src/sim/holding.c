#include "sim/holding.h"

#include "base/text.h"

#include <string.h>

/* A unit of the plan while its parameters are added up. */
struct gathered {
	double elements;
	int first, last; /* layers of the holdings that use it */
	bool used;
};

struct filling {
	struct arena *arena;
	const struct plan *plan;
	struct holdings *stages;
	struct gathered *units;
};

static bool cuts(const struct mesh_dim *dim)
{
	return dim->placement.kind == PLACE_SHARD || dim->placement.kind == PLACE_STRIDED_SHARD;
}

/* The first rank has the first part of every cut, which torch.chunk makes the largest. */
static struct share share_of(const struct sharding *sharding, const struct sharded *sharded)
{
	const struct parameter *parameter = sharded->parameter;
	double volume = 1, gathered = 1, part;
	int64_t shape[PARAMETER_DIMS], slice;
	struct share share;
	int i;

	memcpy(shape, parameter->shape, sizeof(shape));
	for (i = sharded->dims - 1; i >= 0; i--) {
		const struct mesh_dim *dim = &sharded->dim[i];
		int64_t ranks = layout_size(dim->layout);
		if (!cuts(dim))
			continue;
		shape[dim->placement.dim] = (shape[dim->placement.dim] + ranks - 1) / ranks;
		if (dim->layout == &sharding->shard)
			gathered = (double)ranks;
	}
	for (i = 0; i < parameter->dims; i++)
		volume *= (double)shape[i];
	share.whole = volume * gathered;
	for (i = 0; i < HELDS; i++) {
		share.kept[i] = volume;
		if (!sharding->run.name || !sharding->run.held[i])
			continue;
		slice = sharded->run_length / layout_size(&sharding->run.layout);
		part = (double)(slice - sharded->run_at);
		share.kept[i] = part < 0 ? 0 : part < volume ? part : volume;
	}
	return share;
}

static int layer_of(const struct sharded *sharded)
{
	const char *fqn = sharded->parameter->fqn;

	if (sharded->parameter->layer >= 0)
		return sharded->parameter->layer;
	if (sharded->copy)
		return HOLDING_HEAD;
	return text_starts(fqn, "tok_embeddings.") || text_starts(fqn, "pos_embeddings.")
		       ? HOLDING_EMBEDDING
		       : HOLDING_HEAD;
}

/* The holding of a layer, made where it is not there yet; layers mostly come in their order. */
static struct holding *holding_for(const struct filling *filling, struct holdings *stage, int layer)
{
	size_t at = stage->list.count;
	struct holding fresh;

	while (at > 0 && stage->list.items[at - 1].layer > layer)
		at--;
	if (at > 0 && stage->list.items[at - 1].layer == layer)
		return &stage->list.items[at - 1];
	fresh = (struct holding) { .layer = layer };
	vec_push(filling->arena, &stage->list, fresh);
	memmove(&stage->list.items[at + 1], &stage->list.items[at],
		(stage->list.count - 1 - at) * sizeof(fresh));
	stage->list.items[at] = fresh;
	return &stage->list.items[at];
}

static void use(struct gathered *unit, int layer, double elements)
{
	if (!unit->used || layer < unit->first)
		unit->first = layer;
	if (!unit->used || layer > unit->last)
		unit->last = layer;
	unit->used = true;
	unit->elements += elements;
}

static void take(const struct filling *filling, const struct sharded *sharded)
{
	const struct sharding *sharding = plan_sharding(filling->plan, sharded->parameter);
	struct share share = share_of(sharding, sharded), *sum;
	enum kind kind = sharding == &filling->plan->expert ? EXPERTS : DENSE;
	int layer = layer_of(sharded), i;
	struct holding *holding = holding_for(
		filling, &filling->stages[sharded->stage > 0 ? sharded->stage : 0], layer);

	sum = &holding->shares[kind];
	sum->whole += share.whole;
	for (i = 0; i < HELDS; i++)
		sum->kept[i] += share.kept[i];
	if (sharded->unit >= 0) {
		use(&filling->units[sharded->unit], layer, share.whole);
	} else {
		holding->first[kind] += share.whole;
		holding->last[kind] += share.whole;
	}
}

static void gather_units(const struct filling *filling)
{
	size_t i;

	for (i = 0; i < filling->plan->units.count; i++) {
		const struct unit *unit = &filling->plan->units.items[i];
		const struct gathered *gathered = &filling->units[i];
		struct holdings *stage = &filling->stages[unit->stage > 0 ? unit->stage : 0];
		enum kind kind = unit->expert ? EXPERTS : DENSE;
		struct holding *first, *last; /* there since its parameters were taken */
		if (!gathered->used)
			continue;
		first = holding_for(filling, stage, gathered->first);
		last = holding_for(filling, stage, gathered->last);
		first->first[kind] += gathered->elements;
		last->last[kind] += gathered->elements;
		first->lets_go = last->lets_go = unit->reshard_after_forward;
		last->kept_over = unit->kept_over;
	}
}

int32_t holding_stages(const struct workload *work)
{
	return work->plan->stages.count ? (int32_t)work->plan->stages.count : 1;
}

struct holdings *holdings_of(struct arena *arena, const struct plan *plan)
{
	struct filling filling = { .arena = arena, .plan = plan };
	size_t i;

	filling.stages = arena_array(arena, plan->stages.count + 1, sizeof(*filling.stages));
	filling.units = arena_array(arena, plan->units.count + 1, sizeof(*filling.units));
	for (i = 0; i < plan->parameters.count; i++)
		take(&filling, &plan->parameters.items[i]);
	gather_units(&filling);
	return filling.stages;
}
