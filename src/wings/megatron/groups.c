#include "base/number.h"
#include "wings/megatron/megatron.h"
#include "input/node.h"

#include <string.h>

/*
 * megatron/core/parallel_state.py initialize_model_parallel at d98e8a64. Its order "tp-cp-ep-dp-pp"
 * names the innermost axis first. Two grids lie over the same ranks: (pp, dp, cp, gtp, tp) for
 * everything but routed experts, (pp, expert dp, expert gtp, ep, etp) for those. The ranks of gtp
 * gather weights before use and have data of their own.
 */

/* 8c1e094afe: experts have instances of their own, and all of one instance have a group. */
enum { EXPERT_INSTANCES = 20250422 };

/* The axes of a grid, outermost first, whatever its inner three are. */
static void build_grid(const struct megatron *m, struct grid *grid, const char *dp, int64_t dp_size)
{
	if (m->dp_last) {
		grid_axis(grid, dp, dp_size);
		grid_axis(grid, "pp", m->degrees.pp);
	} else {
		grid_axis(grid, "pp", m->degrees.pp);
		grid_axis(grid, dp, dp_size);
	}
}

static void build_grids(struct megatron *m)
{
	build_grid(m, &m->dense, "dp", m->degrees.dp);
	grid_axis(&m->dense, "cp", m->degrees.cp);
	if (m->gtp > 1)
		grid_axis(&m->dense, "gtp", m->gtp);
	grid_axis(&m->dense, "tp", m->degrees.tp);
	build_grid(m, &m->expert, "expert_dp", m->edp);
	if (m->egtp > 1)
		grid_axis(&m->expert, "expert_gtp", m->egtp);
	grid_axis(&m->expert, "ep", m->degrees.ep);
	grid_axis(&m->expert, "etp", m->degrees.etp);
}

static void check_expert_grid(struct megatron *m)
{
	const struct degrees *d = &m->degrees;
	const int64_t inner = multiply(multiply(d->etp, d->ep), multiply(d->pp, m->egtp));

	if (m->plan->world % inner)
		megatron_raise(m, MEGATRON(EXPERT_GRID), VALUE(m->plan->world), VALUE(inner));
	else if (m->dp_last && d->pp > 1 && m->plan->world / inner != d->dp)
		megatron_raise(m, MEGATRON(EXPERT_DP));
	else
		m->edp = m->plan->world / inner;
	megatron_blame(m, FIELD_EP);
	megatron_blame(m, FIELD_ETP);
	megatron_blame(m, FIELD_TP);
	megatron_blame(m, FIELD_PP);
}

static bool gathers(const struct megatron *m)
{
	return m->gtp > 1 || m->egtp > 1;
}

static void check_single_instance(struct megatron *m)
{
	if (!gathers(m) || m->instances < 2)
		return;
	megatron_raise(m, MEGATRON(GTP_INSTANCES));
	megatron_blame(m, FIELD_OPTIMIZER_INSTANCES);
	megatron_blame(m, FIELD_WEIGHT_SHARDS);
	megatron_blame(m, FIELD_EXPERT_WEIGHT_SHARDS);
}

static void check_instances(struct megatron *m)
{
	if (multiply(m->degrees.dp, m->degrees.cp) % m->instances)
		megatron_raise(m, MEGATRON(INSTANCES));
	else if (megatron_since(m, EXPERT_INSTANCES) && m->edp % m->instances)
		megatron_raise(m, MEGATRON(EXPERT_INSTANCES));
	megatron_blame(m, FIELD_OPTIMIZER_INSTANCES);
}

static void put(struct megatron *m, const char *name, struct layout layout, const char *from,
		const char *from_too)
{
	struct mesh mesh = { .name = name, .layout = layout, .backend = "nccl" };

	mesh.exists = layout.modes > 0;
	mesh.from[mesh.from_count++] = from;
	if (from_too)
		mesh.from[mesh.from_count++] = from_too;
	mesh.flattened = mesh.from_count > 1;
	vec_push(m->plan->arena, &m->plan->meshes, mesh);
}

/* Whoever is in one instance of the distributed optimizer: its gradients' norm is taken there. */
static void put_whole_instance(struct megatron *m)
{
	struct grid grid = { 0 };
	int i;

	if (!megatron_since(m, EXPERT_INSTANCES))
		return;
	for (i = 0; i < m->expert.count; i++)
		if (strcmp(m->expert.name[i], "expert_dp") != 0) {
			grid_axis(&grid, m->expert.name[i], m->expert.size[i]);
		} else {
			grid_axis(&grid, "instance", m->instances);
			grid_axis(&grid, "expert_dp", m->edp / m->instances);
		}
	put(m, "intra_instance",
	    layout_coalesce(grid_over(&grid, "pp|expert_dp|expert_gtp|ep|etp")), "expert_dp", NULL);
}

/* Groups within one instance of the distributed optimizer, and across instances. */
static void put_instances(struct megatron *m)
{
	const struct layout whole = layout_coalesce(grid_over(&m->dense, "dp|cp"));
	const struct layout experts = grid_over(&m->expert, "expert_dp");
	struct layout inner, outer;

	if (m->instances < 2)
		return;
	if (grid_split(&whole, layout_size(&whole) / m->instances, &inner, &outer)) {
		put(m, "intra_dp_cp", inner, "dp", "cp");
		if (!megatron_since(m, EXPERT_INSTANCES))
			put(m, "inter_dp_cp", outer, "dp", "cp");
	}
	if (!megatron_since(m, EXPERT_INSTANCES) ||
	    !grid_split(&experts, m->edp / m->instances, &inner, &outer))
		return;
	put(m, "intra_expert_dp", inner, "expert_dp", NULL);
	put(m, "inter_expert_dp", outer, "expert_dp", NULL);
}

/* cp taken apart, the innermost level first. */
static void put_hierarchy(struct megatron *m)
{
	const struct setting *levels = &m->job->settings.items[FIELD_CP_HIERARCHY];
	struct layout rest = grid_over(&m->dense, "cp"), inner, outer;
	const struct node *level = setting_known(levels) ? levels->node->first : NULL;
	int index = 0;

	for (; level; level = level->next, index++) {
		if (level->kind != NODE_SCALAR || level->integer < 1 ||
		    !grid_split(&rest, level->integer, &inner, &outer))
			return;
		put(m, arena_printf(m->plan->arena, "hcp%d", index), inner, "cp", NULL);
		rest = outer;
	}
}

/* Where the embedding lives: with the output, whose weights may be the same, and without it. */
static void put_ends(struct megatron *m)
{
	const struct ends embedding = { "embd", "pp", true },
			  positions = { "pos_embd", "pp", false };

	if (m->degrees.pp < 2)
		return;
	vec_push(m->plan->arena, &m->plan->ends, embedding);
	vec_push(m->plan->arena, &m->plan->ends, positions);
}

/* Without experts the second grid is the first once more. */
static bool has_second_grid(const struct megatron *m)
{
	return m->degrees.ep > 1 || m->degrees.etp != m->degrees.tp || gathers(m) ||
	       setting_int(&m->job->settings, FIELD_MODEL_MOE_EXPERTS, 0) > 0;
}

/* Those who gather, and everyone with data of their own. */
static void put_gathering(struct megatron *m)
{
	if (m->gtp > 1) {
		grid_group(m->plan, &m->dense, "gtp", "gtp", false);
		grid_group(m->plan, &m->dense, "gtp_dp", "gtp|dp", false);
		grid_group(m->plan, &m->dense, "gtp_dp_cp", "gtp|dp|cp", false);
	}
	if (m->egtp < 2)
		return;
	grid_group(m->plan, &m->expert, "expert_gtp", "expert_gtp", false);
	grid_group(m->plan, &m->expert, "etp_ep_gtp_pp", "etp|ep|expert_gtp|pp", false);
	grid_group(m->plan, &m->expert, "gtp_expert_dp", "expert_gtp|expert_dp", false);
}

static void put_groups(struct megatron *m)
{
	struct plan *plan = m->plan;
	const struct grid *dense = &m->dense, *expert = &m->expert;

	grid_root(plan, dense);
	grid_group(plan, dense, "dp_cp", "dp|cp", false);
	put_instances(m);
	grid_group(plan, dense, "dp", "dp", false);
	if (!m->fsdp || m->instances == 1)
		plan->meshes.items[plan->meshes.count - 1].role =
			m->fsdp ? "dp_shard" : "dp_replicate";
	grid_group(plan, dense, "cp", "cp", false);
	put_hierarchy(m);
	grid_group(plan, dense, "mp", "pp|gtp|tp", false);
	grid_group(plan, dense, "tp", "tp", false);
	grid_group(plan, dense, "pp", "pp", false);
	put_ends(m);
	grid_group(plan, dense, "tp_dp_cp", "tp|gtp|dp|cp", false);
	grid_group(plan, dense, "tp_dp", "tp|gtp|dp", false);
	grid_group(plan, dense, "tp_cp", "tp|cp", false);
	put_whole_instance(m);
	if (gathers(m))
		put_gathering(m);
	if (!has_second_grid(m))
		return;
	grid_group(plan, expert, "ep", "ep", false);
	grid_group(plan, expert, "etp", "etp", false);
	grid_group(plan, expert, "etp_ep", "etp|ep", false);
	grid_group(plan, expert, "etp_ep_pp", "etp|ep|pp", false);
	grid_group(plan, expert, "expert_dp", "expert_dp", false);
}

/* DDP over dp and cp, or FSDP over them: with instances the inner part shares, the outer repeats.
 */
static void share(struct megatron *m, struct sharding *sharding, struct layout all,
		  const char *mesh)
{
	struct layout inner = all, outer = { 0 };

	if (m->fsdp && m->instances > 1 &&
	    !grid_split(&all, layout_size(&all) / m->instances, &inner, &outer))
		inner = all;
	sharding->shard = m->fsdp ? inner : outer;
	sharding->replicate = m->fsdp ? outer : all;
	sharding->mesh[sharding->mesh_count++] = mesh;
	if (m->fsdp)
		sharding->strategy = outer.modes   ? STRATEGY_HSDP
				     : inner.modes ? STRATEGY_FSDP
						   : STRATEGY_FSDP_SHARD1;
	else
		sharding->strategy = all.modes ? STRATEGY_DDP : STRATEGY_NONE;
}

void megatron_build_groups(struct megatron *m)
{
	struct plan *plan = m->plan;

	check_single_instance(m);
	if (!plan->error)
		check_expert_grid(m);
	if (!plan->error)
		check_instances(m);
	if (plan->error)
		return;
	build_grids(m);
	put_groups(m);
	share(m, &plan->dense, grid_over(&m->dense, "dp|cp"), "dp_cp");
	plan->has_expert = m->degrees.ep > 1 ||
			   ((m->degrees.etp != m->degrees.tp || m->egtp != m->gtp) &&
			    setting_int(&m->job->settings, FIELD_MODEL_MOE_EXPERTS, 0) > 0);
	if (plan->has_expert)
		share(m, &plan->expert, grid_over(&m->expert, "expert_dp"), "expert_dp");
}
