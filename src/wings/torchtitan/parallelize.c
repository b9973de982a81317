#include "wings/torchtitan/parallelize.h"

#include "framework/placing.h"
#include "framework/torch/exceptions.h"
#include "framework/torch/python.h"
#include "wings/torchtitan/experts.h"
#include "wings/torchtitan/pipeline.h"
#include "framework/tp_plan.h"
#include "wings/torchtitan/units.h"

#include <inttypes.h>
#include <string.h>

static bool replicates(enum strategy strategy)
{
	return strategy == STRATEGY_DDP || strategy == STRATEGY_HSDP ||
	       strategy == STRATEGY_HSDP_FT || strategy == STRATEGY_HSDP_SHARD1;
}

static bool shards(enum strategy strategy)
{
	return strategy != STRATEGY_NONE && strategy != STRATEGY_DDP;
}

/* The name of the axis that shards: the last of the mesh, or the named axes joined. */
static const char *shard_name(struct arena *arena, const struct sharding *sharding)
{
	const char *name = NULL;
	int i;

	if (!sharding->named_dims)
		return sharding->mesh_count ? sharding->mesh[sharding->mesh_count - 1] : "fsdp";
	for (i = 0; i < sharding->shard_count; i++)
		name = name ? arena_printf(arena, "%s_%s", name, sharding->shard_dims[i])
			    : sharding->shard_dims[i];
	return name ? name : "dp_shard";
}

static const char *replicate_name(const struct sharding *sharding)
{
	if (sharding->named_dims && sharding->replicate_dim)
		return sharding->replicate_dim;
	return !sharding->named_dims && sharding->mesh_count > 1 ? sharding->mesh[0]
								 : "dp_replicate";
}

/* What is the same for all parameters. */
struct cutter {
	struct job *job;
	struct plan *plan;
	const struct titan *titan;
	bool transposed;		     /* experts are stored [E, dim, ffn] */
	int experts_dim;		     /* that fully_shard cuts */
	bool strided;			     /* torch tells FSDP's cut of a dim that tp cut */
	const char *shard[2], *replicate[2]; /* axis names: dense, expert */
	const struct mesh *tp;
	struct experts_cut experts;
};

static void cutter_init(struct cutter *c, struct job *job, struct plan *plan,
			const struct titan *titan)
{
	const struct sharding *sharding[] = { &plan->dense, &plan->expert };
	int i;

	*c = (struct cutter) { .job = job, .plan = plan, .titan = titan };
	c->transposed = titan->traits[TRAIT_NAMES] == NAMES_TRANSPOSED;
	c->experts_dim = experts_fsdp_dim(plan, titan, job->model->experts);
	c->strided = torch_has(&titan->torch.torch, TORCH_STRIDED_SHARD);
	c->experts = experts_cut_of(plan, titan);
	c->tp = titan->degrees.tp > 1 ? plan_mesh(plan, "tp") : NULL;
	for (i = 0; i < 2; i++) {
		c->shard[i] = shard_name(plan->arena, sharding[i]);
		c->replicate[i] = replicate_name(sharding[i]);
	}
	if (plan->expert.mesh_count == 2 && !plan->expert.replicate.modes)
		c->shard[1] = plan->expert.mesh[0]; /* torchtitan#3205: the first dim shards */
}

/* The mesh dims on which tensor and expert parallel put the parameter. */
static int cut_by_model(const struct cutter *c, const struct parameter *parameter,
			struct mesh_dim dims[EXPERT_DIMS])
{
	if (parameter->expert)
		return experts_cut(&c->experts, parameter, c->transposed, dims);
	if (!c->tp)
		return 0;
	dims[0] = (struct mesh_dim) { .name = "tp",
				      .layout = &c->tp->layout,
				      .placement = tp_plan_placement(parameter->fqn) };
	return 1;
}

/* The mesh of an FSDP parameter: (replicate, shard), then what cut it before (torch@v2.8.0
 * distributed/fsdp/_fully_shard/_fsdp_param.py, _init_sharded_param). */
static void place(const struct cutter *c, struct sharded *s)
{
	const bool own = s->parameter->expert && c->plan->has_expert;
	const struct sharding *sharding = own ? &c->plan->expert : &c->plan->dense;
	const enum strategy strategy = c->plan->dense.strategy;
	const int dim = s->parameter->expert ? c->experts_dim : 0;
	const bool lost =
		!s->parameter->expert && c->plan->origin != PLAN_INTENDED &&
		titan_loses_replicas(c->plan, c->titan, c->job->model, s->parameter->layer);
	struct mesh_dim inner[EXPERT_DIMS];
	const int count = cut_by_model(c, s->parameter, inner);
	int i;

	if (!lost && replicates(strategy) && sharding->replicate.modes)
		s->dim[s->dims++] = (struct mesh_dim) { .name = c->replicate[own],
							.layout = &sharding->replicate };
	if (shards(strategy))
		s->dim[s->dims++] = (struct mesh_dim) {
			.name = lost ? c->replicate[0] : c->shard[own],
			.layout = lost ? &sharding->replicate : &sharding->shard,
			.placement = placing_shard(dim, inner, count, c->strided)
		};
	for (i = 0; i < count; i++)
		s->dim[s->dims++] = inner[i];
}

static bool cuts(const struct mesh_dim *dim)
{
	return dim->placement.kind == PLACE_SHARD || dim->placement.kind == PLACE_STRIDED_SHARD;
}

/* Counts a parameter into its unit. */
static void gather(struct plan *plan, int unit, const struct sharded *s)
{
	if (unit < 0)
		return;
	plan->units.items[unit].parameters++;
	plan->units.items[unit].shard_elements += plan_padded(s);
}

/*
 * Tied weights before the ends became one unit: embedding and output are sharded as two
 * parameters, and only afterwards is one put in the other's place (torchtitan@73a0e6979d
 * models/qwen3/model/model.py, init_weights), so both are gathered.
 */
static void gather_tied(struct plan *plan, const struct unit_map *map, const struct sharded *s)
{
	if (map->output >= 0 && map->output != map->embedding &&
	    s->stage == map->stage_of_embedding)
		gather(plan, map->output, s);
}

/* A plan as asked may have ends that are tied on two stages, which no unit spans: the root has
 * them. */
static int unit_on(const struct cutter *c, const struct unit_map *map, const struct sharded *s)
{
	struct unit unit = { .name = "(root)", .stage = s->stage, .shard = c->plan->dense.shard };

	if (s->unit < 0 || c->plan->units.items[s->unit].stage == s->stage)
		return s->unit;
	if (map->root[s->stage] < 0) {
		vec_push(c->plan->arena, &c->plan->units, unit);
		map->root[s->stage] = (int)c->plan->units.count - 1;
	}
	return map->root[s->stage];
}

/* As the same parameter of an earlier block, of which there are many; else by itself. */
static void place_like(const struct cutter *c, struct sharded *s, const struct sharded *earlier)
{
	if (!earlier) {
		place(c, s);
		return;
	}
	s->dims = earlier->dims;
	memcpy(s->dim, earlier->dim, (size_t)s->dims * sizeof(*s->dim));
}

static void place_all(struct cutter *c, const struct unit_map *map)
{
	const struct model *model = c->job->model;
	const struct sharded **placed =
		arena_array(c->plan->arena, model->parameters.count + 1, sizeof(struct sharded *));
	size_t i;

	vec_reserve(c->plan->arena, &c->plan->parameters, model->parameters.count);
	for (i = 0; i < model->parameters.count; i++) {
		/* Filled where it stays, in zeroed memory: it is large, and there are thousands. */
		struct sharded *s = &c->plan->parameters.items[c->plan->parameters.count];
		s->parameter = &model->parameters.items[i];
		unit_map_find(map, s->parameter, &s->stage, &s->unit);
		if (s->stage < 0)
			continue;
		c->plan->parameters.count++;
		s->unit = unit_on(c, map, s);
		place_like(c, s, placed[s->parameter->like]);
		placed[i] = s;
		gather(c->plan, s->unit, s);
		if (!i && model->tied_embeddings)
			gather_tied(c->plan, map, s);
	}
}

/* The mesh dim of fully_shard's cut, or NULL. */
static const struct mesh_dim *fsdp_dim(const struct plan *plan, const struct sharded *s)
{
	int at = replicates(plan->dense.strategy) && s->dims &&
		 s->dim[0].placement.kind == PLACE_REPLICATE;

	return shards(plan->dense.strategy) && at < s->dims ? &s->dim[at] : NULL;
}

/* The shape after tensor and expert parallel, as fully_shard finds it. */
static void shape_before(const struct sharded *s, const struct mesh_dim *fsdp,
			 int64_t shape[PARAMETER_DIMS])
{
	const struct mesh_dim *at;
	int64_t parts;

	memcpy(shape, s->parameter->shape, sizeof(s->parameter->shape));
	for (at = &s->dim[s->dims - 1]; at > fsdp; at--)
		if (cuts(at)) {
			parts = layout_size(at->layout);
			shape[at->placement.dim] = (shape[at->placement.dim] + parts - 1) / parts;
		}
}

/* True when fully_shard cuts the parameter into uneven parts along a dim where it cannot. */
static bool is_uneven(const struct cutter *c, const struct sharded *s)
{
	const struct mesh_dim *fsdp = fsdp_dim(c->plan, s);
	const int64_t ranks = fsdp ? layout_size(fsdp->layout) : 1;
	int64_t shape[PARAMETER_DIMS] = { 0 };

	if (!fsdp)
		return false;
	if (fsdp->placement.dim > 0)
		shape_before(s, fsdp, shape);
	if (shape[fsdp->placement.dim] % ranks)
		return true;
	return fsdp->placement.kind == PLACE_STRIDED_SHARD &&
	       !torch_has(&c->titan->torch.torch, TORCH_UNEVEN_STRIDED) &&
	       s->parameter->shape[0] % (ranks * fsdp->placement.factor) != 0;
}

/* What fully_shard says of such a parameter. */
static void refuse(const struct cutter *c, const struct sharded *s)
{
	const struct mesh_dim *fsdp = fsdp_dim(c->plan, s);
	const int64_t ranks = layout_size(fsdp->layout);
	const int dim = fsdp->placement.dim;
	int64_t shape[PARAMETER_DIMS] = { 0 };

	shape_before(s, fsdp, shape);
	if (dim > 0 && shape[dim] % ranks)
		exception_raise(c->plan, PYTORCH(UNEVEN_DIM), VALUE(dim),
				VALUE(python_size(c->plan->arena, shape, s->parameter->dims)),
				VALUE(ranks));
	else
		exception_raise(c->plan, PYTORCH(UNEVEN_STRIDED), VALUE(s->parameter->shape[0]),
				VALUE(ranks * fsdp->placement.factor));
	plan_blame(c->plan, settings_of(&c->job->settings, FIELD_DP_SHARD));
	plan_blame(c->plan, settings_of(&c->job->settings, FIELD_TP));
}

/* Raises for the first parameter fully_shard refuses, in the order of its calls. */
static void check_shards(struct cutter *c)
{
	const struct plan *plan = c->plan;
	const struct sharded *first = NULL;
	size_t i;

	if (c->experts_dim == 0 && torch_has(&c->titan->torch.torch, TORCH_UNEVEN_STRIDED))
		return;
	for (i = 0; i < plan->parameters.count; i++) {
		const struct sharded *s = &plan->parameters.items[i];
		if (s->unit >= 0 && is_uneven(c, s) && (!first || s->unit < first->unit))
			first = s;
	}
	if (first)
		refuse(c, first);
}

void titan_parallelize(struct job *job, struct plan *plan, const struct titan *titan)
{
	struct cutter c;
	struct unit_map map;

	if (plan->error || !job->model)
		return;
	cutter_init(&c, job, plan, titan);
	unit_map_init(&map, plan, job->model);
	if (shards(plan->dense.strategy))
		titan_units_build(&map, job, plan, titan);
	place_all(&c, &map);
	check_shards(&c);
}
