#include "framework/placing.h"

#include "framework/placing_stages.h"
#include "framework/torch/exceptions.h"
#include "framework/torch/fsdp.h"
#include "framework/torch/reshard.h"
#include "framework/torch/job_torch.h"
#include "framework/tp_plan.h"
#include "framework/unit_map.h"
#include "input/node.h"

#include <string.h>

/*
 * Placements on a parameter: torch@v2.8.0 distributed/fsdp/_fully_shard/_fsdp_param.py
 * (_init_sharded_param). Tensor parallelism: the plan every published script of llama's shape
 * uses, columns for what enters a block, rows for what leaves it. Routed experts are cut by ep
 * along the experts, then each of them as a feed-forward network is.
 */

enum { INNER_DIMS = 3 };

/* What is the same for all parameters of a plan. */
struct placer {
	struct job *job;
	struct plan *plan;
	struct torch_release torch;
	struct unit_map stages;
	const struct mesh *tp, *ep, *etp;    /* NULL: it cuts nothing */
	const struct mesh *gtp, *expert_gtp; /* those who gather weights (Megatron's GTP) */
	bool etp_alone;			     /* experts have tensor ranks of their own */
	bool wraps;			     /* parameters are gathered by units */
	const char *shard[2], *replicate[2]; /* axis names: dense, expert */
	int layer, unit[2];		     /* of the block looked at last; -1: not made yet */
};

const struct framework *placing_builder(const struct job *job)
{
	const struct framework *engine =
		framework_find(setting_text(&job->settings, FIELD_ENGINE, ""));

	return engine ? engine : job->framework;
}

/* True when fully_shard, or what is like it, gathers parameters by units. */
static bool wraps(const struct plan *plan)
{
	return plan->dense.shard.modes || (plan->has_expert && plan->expert.shard.modes);
}

/* The mesh in that role, where it has more than one rank. */
static const struct mesh *axis_of(const struct plan *plan, const char *role)
{
	const struct mesh *mesh = plan_mesh(plan, role);

	return mesh && layout_size(&mesh->layout) > 1 ? mesh : NULL;
}

/* A script's own name for an axis that plays a role. */
static const char *own_name(const struct mesh *mesh)
{
	return mesh->from_count == 1 ? mesh->from[0] : mesh->name;
}

static void name_axes(struct placer *p)
{
	const struct sharding *sharding[] = { &p->plan->dense, &p->plan->expert };
	int i;

	for (i = 0; i < 2; i++) {
		const struct sharding *s = sharding[i];
		p->replicate[i] = s->mesh_count > 1 || (s->mesh_count && !s->shard.modes)
					  ? s->mesh[0]
					  : plan_mesh_over(p->plan, &s->replicate, "dp_replicate");
		p->shard[i] = s->mesh_count ? s->mesh[s->mesh_count - 1]
					    : plan_mesh_over(p->plan, &s->shard, "dp_shard");
	}
}

/* A script calls parallelize_module over one rank, too, and DTensor keeps the mesh dim. */
static bool parallelizes(const struct job *job, const struct plan *plan)
{
	return plan->degrees.tp > 1 ||
	       node_member(job->settings.items[FIELD_MESH].node, "tensor_parallel");
}

static void placer_init(struct placer *p, struct job *job, struct plan *plan)
{
	*p = (struct placer) { .job = job, .plan = plan, .torch = torch_of_job(job), .layer = -1 };
	p->wraps = wraps(plan);
	p->tp = parallelizes(job, plan) ? plan_mesh(plan, "tp") : NULL;
	p->ep = plan->degrees.ep > 1 ? axis_of(plan, "ep") : NULL;
	p->etp = axis_of(plan, "etp");
	p->gtp = axis_of(plan, "gtp");
	p->expert_gtp = plan->has_expert ? axis_of(plan, "expert_gtp") : p->gtp;
	p->etp_alone = plan_mesh(plan, "etp") != NULL;
	name_axes(p);
	if (plan->stages.count)
		unit_map_init(&p->stages, plan, job->model);
}

static struct mesh_dim cut_on(const struct mesh *mesh, struct placement placement)
{
	return (struct mesh_dim) { own_name(mesh), &mesh->layout, placement };
}

static int cut_expert(const struct placer *p, const struct parameter *parameter,
		      struct mesh_dim dims[INNER_DIMS])
{
	const struct placement inside = tp_plan_expert(parameter, false);
	const struct mesh *tensor = p->ep || p->etp_alone ? p->etp : p->tp;
	int count = 0;

	if (p->ep)
		dims[count++] = cut_on(p->ep, (struct placement) { .kind = PLACE_SHARD });
	if (tensor)
		dims[count++] = cut_on(tensor, inside);
	if (p->expert_gtp)
		dims[count++] =
			cut_on(p->expert_gtp, (struct placement) { .kind = PLACE_SHARD, .dim = 1 });
	return count;
}

/*
 * GTP cuts what tp cuts, always along the rows (core/tensor_parallel/layers.py and
 * core/extensions/transformer_engine.py); biases and what tp repeats stay whole. Rows that pad a
 * part to a multiple of its alignment are not counted.
 */
static struct placement gathered_cut(const struct parameter *parameter)
{
	struct placement placement = tp_plan_placement(parameter->fqn);

	if (parameter->dims < 2)
		placement.kind = PLACE_REPLICATE;
	placement.dim = 0;
	return placement;
}

/* The mesh dims on which tensor and expert parallel put a parameter. */
static int cut_by_model(const struct placer *p, const struct parameter *parameter,
			struct mesh_dim dims[INNER_DIMS])
{
	int count = 0;

	if (parameter->expert)
		return cut_expert(p, parameter, dims);
	if (p->tp)
		dims[count++] = cut_on(p->tp, tp_plan_placement(parameter->fqn));
	if (p->gtp)
		dims[count++] = cut_on(p->gtp, gathered_cut(parameter));
	return count;
}

struct placement placing_shard(int dim, const struct mesh_dim *inner, int count, bool strided)
{
	struct placement placement = { .kind = PLACE_SHARD, .dim = dim };
	int64_t factor = 1;
	int i;

	for (i = 0; i < count; i++)
		if (inner[i].placement.kind == PLACE_SHARD && inner[i].placement.dim == dim)
			factor *= layout_size(inner[i].layout);
	if (factor > 1 && strided) {
		placement.kind = PLACE_STRIDED_SHARD;
		placement.factor = factor;
	}
	return placement;
}

static void put_dims(const struct placer *p, struct sharded *s)
{
	const bool own = s->parameter->expert && p->plan->has_expert;
	const struct sharding *sharding = plan_sharding(p->plan, s->parameter);
	const bool strided = torch_has(&p->torch, TORCH_STRIDED_SHARD);
	struct mesh_dim inner[INNER_DIMS];
	const int count = cut_by_model(p, s->parameter, inner);
	int i;

	if (sharding->replicate.modes)
		s->dim[s->dims++] = (struct mesh_dim) { .name = p->replicate[own],
							.layout = &sharding->replicate };
	if (sharding->shard.modes && !plan_is_run(p->plan, s->parameter, HELD_PARAMETER))
		s->dim[s->dims++] =
			(struct mesh_dim) { .name = p->shard[own],
					    .layout = &sharding->shard,
					    .placement = placing_shard(0, inner, count, strided) };
	for (i = 0; i < count; i++)
		s->dim[s->dims++] = inner[i];
}

/* ---- units ---- */

/* "layers.3.moe.experts" where experts have ranks of their own, else "layers.3", or the root. */
static const char *unit_name(const struct placer *p, const struct parameter *parameter)
{
	const char *dot = strrchr(parameter->fqn, '.');

	if (parameter->expert && p->plan->has_expert && dot)
		return arena_strndup(p->plan->arena, parameter->fqn,
				     (size_t)(dot - parameter->fqn));
	return parameter->layer >= 0 ? model_layer_name(p->plan->arena, parameter->layer)
				     : "(root)";
}

/*
 * Whether gathered parameters are let go between forward and backward. FSDP1 never lets its root's
 * go (torch@v2.8.0 distributed/fsdp/_runtime_utils.py, _post_forward_reshard), DeepSpeed releases
 * whatever it has used (deepspeed@edaa7221 runtime/zero/parameter_offload.py).
 */
static void settle_reshard(const struct placer *p, struct unit *unit, bool root)
{
	const struct reshard policy = reshard_policy(reshard_said(&p->job->settings));
	const struct sharding *sharding = unit->expert ? &p->plan->expert : &p->plan->dense;

	if (!sharding->run.name)
		reshard_unit(unit, &p->torch, policy, root);
	else
		unit->reshard_after_forward =
			policy.kind != RESHARD_NO && !(root && wrap_is_flat(&p->job->settings));
}

/* The unit that gathers a parameter; made when first needed. */
static int unit_of(struct placer *p, const struct sharded *s)
{
	const char *name = unit_name(p, s->parameter);
	struct unit unit = { .name = name, .stage = s->stage };
	size_t i;

	for (i = p->plan->units.count; i-- > 0;)
		if (p->plan->units.items[i].stage == s->stage &&
		    !strcmp(p->plan->units.items[i].name, name))
			return (int)i;
	unit.expert = s->parameter->expert && p->plan->has_expert;
	unit.shard = plan_sharding(p->plan, s->parameter)->shard;
	settle_reshard(p, &unit, s->parameter->layer < 0 && !unit.expert);
	vec_push(p->plan->arena, &p->plan->units, unit);
	return (int)p->plan->units.count - 1;
}

/* The same, remembered for the block: its parameters follow each other. */
static int unit_in_block(struct placer *p, const struct sharded *s)
{
	const bool own = s->parameter->expert && p->plan->has_expert;

	if (s->parameter->layer < 0)
		return unit_of(p, s);
	if (s->parameter->layer != p->layer)
		p->unit[0] = p->unit[1] = -1;
	p->layer = s->parameter->layer;
	if (p->unit[own] < 0)
		p->unit[own] = unit_of(p, s);
	return p->unit[own];
}

/* Counts a parameter into its unit; what a run holds of it is counted with the run. */
static void gather(struct placer *p, struct sharded *s)
{
	struct unit *unit;

	s->unit = -1;
	if (!p->wraps)
		return;
	s->unit = unit_in_block(p, s);
	unit = &p->plan->units.items[s->unit];
	unit->parameters++;
	if (!plan_is_run(p->plan, s->parameter, HELD_PARAMETER))
		unit->shard_elements += plan_padded(s);
}

/* ---- all parameters ---- */

/* A parameter on a stage; it is filled where it stays, in zeroed memory. */
static void place(struct placer *p, const struct parameter *parameter, int stage, bool copy)
{
	struct sharded *s;

	vec_reserve(p->plan->arena, &p->plan->parameters, p->plan->parameters.count + 1);
	s = &p->plan->parameters.items[p->plan->parameters.count++];
	*s = (struct sharded) { .parameter = parameter, .stage = stage, .copy = copy };
	put_dims(p, s);
	gather(p, s);
}

static void place_each(struct placer *p)
{
	const struct model *model = p->job->model;
	const bool staged = p->plan->stages.count > 0;
	size_t i;

	vec_reserve(p->plan->arena, &p->plan->parameters, model->parameters.count + 1);
	for (i = 0; i < model->parameters.count; i++) {
		int stage = 0, unit;

		if (staged)
			unit_map_find(&p->stages, &model->parameters.items[i], &stage, &unit);
		if (stage >= 0)
			place(p, &model->parameters.items[i], stage, false);
	}
	/* The stage of the output has a copy of the embedding that it is tied to. */
	if (staged && model->tied_embeddings && p->stages.stage_of_output >= 0 &&
	    p->stages.stage_of_output != p->stages.stage_of_embedding)
		place(p, &model->parameters.items[0], p->stages.stage_of_output, true);
}

/* ---- what fully_shard refuses ---- */

/* Up to 2.7 what TP has cut along dim 0 must divide evenly once more. */
static bool is_uneven(const struct placer *p, const struct sharded *s, int64_t *parts)
{
	int i;

	if (torch_has(&p->torch, TORCH_UNEVEN_STRIDED))
		return false;
	for (i = 0; i < s->dims; i++) {
		const struct placement *placement = &s->dim[i].placement;
		if (placement->kind != PLACE_STRIDED_SHARD)
			continue;
		*parts = layout_size(s->dim[i].layout) * placement->factor;
		return s->parameter->shape[0] % *parts != 0;
	}
	return false;
}

/* Says which parameter of the blocks, or of their root, ends the plan, if one does. */
static bool refuse_uneven(const struct placer *p, bool root)
{
	int64_t parts;
	size_t i;

	for (i = 0; i < p->plan->parameters.count; i++) {
		const struct sharded *s = &p->plan->parameters.items[i];
		if ((s->parameter->layer < 0) != root || !is_uneven(p, s, &parts))
			continue;
		exception_raise(p->plan, PYTORCH(UNEVEN_STRIDED), VALUE(s->parameter->shape[0]),
				VALUE(parts));
		return true;
	}
	return false;
}

/* A number of ranks to reshard over is looked at first (_get_post_forward_mesh_info), and a rule
 * tells of it. Blocks are wrapped before their root. Nothing is claimed of experts, and of stages
 * that the script has made. */
static void check_even(const struct placer *p)
{
	const struct plan *plan = p->plan;
	const struct reshard policy = reshard_policy(reshard_said(&p->job->settings));
	int root;

	if (plan->has_expert || plan->degrees.pp > 1 ||
	    reshard_refused(policy, layout_size(&plan->dense.shard)))
		return;
	for (root = 0; root < 2; root++)
		if (refuse_uneven(p, root))
			return;
}

void place_model(struct job *job, struct plan *plan)
{
	struct placer p;

	if (!job->model || !job->model->parameters.count || !plan->meshes.count)
		return;
	place_stages(job, plan);
	if (plan->degrees.pp > 1 && !plan->stages.count)
		return;
	place_runs(job, plan);
	placer_init(&p, job, plan);
	place_each(&p);
	place_in_runs(job, plan);
	check_even(&p);
}
