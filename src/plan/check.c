#include "base/die.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <string.h>

/*
 * What holds of every plan, by arithmetic: no rank and no element is looked at, so that it
 * costs every check next to nothing. plan_check_boxes (check_boxes.c) looks at them.
 */

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

/* A run is cut among ranks that share its parameters, or among some that repeat them. */
static void check_run(const struct plan *plan, const char *name, const struct sharding *sharding)
{
	const struct run_cut *run = &sharding->run;
	struct layout whole = sharding->shard.modes ? sharding->shard : sharding->replicate;

	if (!run->name)
		return;
	check_layout(plan, run->name, &run->layout);
	if (layout_size(&whole) % layout_size(&run->layout))
		bug("%s: a run over %s, %" PRId64 " ranks, of %" PRId64, name, run->name,
		    layout_size(&run->layout), layout_size(&whole));
	if (!run->held[HELD_OPTIMIZER] ||
	    (run->held[HELD_PARAMETER] && (!sharding->shard.modes || !run->held[HELD_GRADIENT])))
		bug("%s: a run over %s keeps more whole than it may", name, run->name);
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

/* ---- parameters ---- */

static bool cuts(const struct mesh_dim *dim)
{
	return dim->placement.kind == PLACE_SHARD || dim->placement.kind == PLACE_STRIDED_SHARD;
}

/* A strided shard says how many parts the dims to its right have made of its tensor dim. */
static void check_factor(const struct sharded *sharded, int at)
{
	const struct placement *placement = &sharded->dim[at].placement;
	int64_t parts = 1;
	int i;

	for (i = at + 1; i < sharded->dims; i++)
		if (cuts(&sharded->dim[i]) && sharded->dim[i].placement.dim == placement->dim)
			parts *= layout_size(sharded->dim[i].layout);
	if (placement->kind == PLACE_STRIDED_SHARD && placement->factor != parts)
		bug("%s: split factor %" PRId64 ", but dim %d was cut %" PRId64 " ways before",
		    sharded->parameter->fqn, placement->factor, placement->dim, parts);
}

/*
 * A tensor dim that is cut into chunks is tiled by them, and so is each chunk that is cut again:
 * the parts of a parameter tile it when every combination of indices comes up, that is, when the
 * layouts of its mesh dims are directions of one world.
 */
static void check_tiling(const struct plan *plan, const struct sharded *sharded)
{
	struct layout all = { 0 };
	int i;

	for (i = 0; i < sharded->dims; i++) {
		const struct mesh_dim *dim = &sharded->dim[i];
		all = layout_coalesce(layout_join(all, *dim->layout));
		if (!cuts(dim))
			continue;
		if (dim->placement.dim < 0 || dim->placement.dim >= sharded->parameter->dims)
			bug("%s has no dim %d to cut", sharded->parameter->fqn, dim->placement.dim);
		check_factor(sharded, i);
	}
	check_layout(plan, sharded->parameter->fqn, &all);
}

/*
 * The parts of a parameter's run tile what its placements leave of it: the run is as long as its
 * equal parts, holds the parameter, and is cut in a direction in which placements cut nothing.
 */
static void check_run_of(const struct plan *plan, const struct sharded *sharded)
{
	const struct run_cut *run = &plan_sharding(plan, sharded->parameter)->run;
	struct layout all = run->layout;
	int i;

	if (!run->name)
		return;
	if (sharded->run_length % layout_size(&run->layout) || sharded->run_at < 0 ||
	    sharded->run_at + plan_padded(sharded) > sharded->run_length)
		bug("%s lies at %" PRId64 " of a run of %" PRId64 " over %" PRId64 " ranks",
		    sharded->parameter->fqn, sharded->run_at, sharded->run_length,
		    layout_size(&run->layout));
	for (i = 0; i < sharded->dims; i++)
		if (cuts(&sharded->dim[i]))
			all = layout_coalesce(layout_join(all, *sharded->dim[i].layout));
	check_layout(plan, sharded->parameter->fqn, &all);
}

/* True when what was found out about one holds of the other, word for word. */
static bool alike(const struct sharded *a, const struct sharded *b)
{
	int i;

	if (a->dims != b->dims || a->parameter->dims != b->parameter->dims)
		return false;
	for (i = 0; i < a->dims; i++)
		if (a->dim[i].layout != b->dim[i].layout ||
		    a->dim[i].placement.kind != b->dim[i].placement.kind ||
		    a->dim[i].placement.dim != b->dim[i].placement.dim ||
		    a->dim[i].placement.factor != b->dim[i].placement.factor)
			return false;
	return true;
}

enum { KINDS = 8 };

/* Parameters that were looked at last; there are hundreds, of a handful of kinds. */
struct looked_at {
	const struct sharded *kinds[KINDS];
	int count;
};

static bool seen(struct looked_at *last, const struct sharded *sharded)
{
	int i;

	for (i = 0; i < last->count && i < KINDS; i++)
		if (alike(last->kinds[i], sharded))
			return true;
	last->kinds[last->count++ % KINDS] = sharded;
	return false;
}

static void check_places(const struct plan *plan, const struct sharded *sharded)
{
	if (sharded->unit >= 0 && (size_t)sharded->unit >= plan->units.count)
		bug("%s belongs to unit %d of %zu", sharded->parameter->fqn, sharded->unit,
		    plan->units.count);
	if (plan->units.count && sharded->unit < 0)
		bug("%s belongs to none of %zu units", sharded->parameter->fqn, plan->units.count);
	if (plan->stages.count &&
	    (sharded->stage < 0 || (size_t)sharded->stage >= plan->stages.count))
		bug("%s is on stage %d of %zu", sharded->parameter->fqn, sharded->stage,
		    plan->stages.count);
	if (sharded->unit >= 0 && plan->units.items[sharded->unit].stage != sharded->stage)
		bug("%s is on stage %d, its unit on stage %d", sharded->parameter->fqn,
		    sharded->stage, plan->units.items[sharded->unit].stage);
}

static void check_parameters(const struct plan *plan)
{
	struct looked_at last = { 0 };
	size_t i;

	for (i = 0; i < plan->parameters.count; i++) {
		check_places(plan, &plan->parameters.items[i]);
		check_run_of(plan, &plan->parameters.items[i]);
		if (!seen(&last, &plan->parameters.items[i]))
			check_tiling(plan, &plan->parameters.items[i]);
	}
}

/* ---- stages ---- */

static void check_stages(const struct plan *plan)
{
	const struct mesh *pp = plan_mesh(plan, "pp");
	int64_t ranks = pp ? layout_size(&pp->layout) : 1;
	size_t i;

	for (i = 0; i < plan->stages.count; i++) {
		const struct stage *stage = &plan->stages.items[i];
		if (stage->index != (int)i || stage->pp_rank < 0 || stage->pp_rank >= ranks)
			bug("stage %zu is called %d and is on pipeline rank %" PRId64
			    " of %" PRId64,
			    i, stage->index, stage->pp_rank, ranks);
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
	check_run(plan, "data parallel", &plan->dense);
	if (plan->has_expert)
		check_run(plan, "data parallel of experts", &plan->expert);
	check_strategy(plan);
	check_stages(plan);
	check_parameters(plan);
}
