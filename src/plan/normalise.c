#include "plan/compare.h"

#include <assert.h>
#include <string.h>

/* Modes of size 1 join nobody to anybody. */
static struct layout without_ones(const struct layout *layout)
{
	struct layout out = { 0 };
	int i;

	for (i = 0; i < layout->modes; i++)
		if (layout->size[i] != 1)
			out = layout_join(out, layout_axis(layout->size[i], layout->stride[i]));
	return out;
}

/* Applies a change to every layout of a plan. */
static void each_layout(struct normal *normal, struct layout (*change)(const struct layout *))
{
	int role;

	for (role = 0; role < ROLES; role++)
		normal->axis[role] = change(&normal->axis[role]);
	normal->shard = change(&normal->shard);
	normal->replicate = change(&normal->replicate);
	normal->expert_shard = change(&normal->expert_shard);
	normal->expert_replicate = change(&normal->expert_replicate);
}

/* What frameworks call the mesh that plays a role. */
static const char *const role_names[] = {
	[ROLE_PP] = "pp",	   [ROLE_REPLICATE] = "dp_replicate",
	[ROLE_SHARD] = "dp_shard", [ROLE_CP] = "cp",
	[ROLE_TP] = "tp",	   [ROLE_EP] = "ep",
};

static_assert(sizeof(role_names) / sizeof(*role_names) == ROLES, "every role has a name");

const char *role_name(enum role role)
{
	return role_names[role];
}

static void take_roles(struct normal *normal)
{
	int role;

	for (role = 0; role < ROLES; role++) {
		const struct mesh *mesh = plan_mesh(normal->plan, role_names[role]);
		if (mesh)
			normal->axis[role] = mesh->layout;
	}
}

static void drop_fake(struct normal *normal)
{
	int role;

	for (role = 0; role < ROLES; role++) {
		const struct mesh *mesh = plan_mesh(normal->plan, role_names[role]);
		if (mesh && mesh->backend && !strcmp(mesh->backend, "fake"))
			normal->axis[role].modes = 0;
	}
}

static void drop_ones(struct normal *normal)
{
	each_layout(normal, without_ones);
}

static void as_rank_sets(struct normal *normal)
{
	each_layout(normal, layout_canonical);
}

/* Without a world there are no groups, only what the strategies are called. */
static enum strategy strategy_by_name(enum strategy strategy)
{
	switch (strategy) {
	case STRATEGY_HSDP_SHARD1:
		return STRATEGY_DDP;
	case STRATEGY_FSDP_SHARD1:
		return STRATEGY_NONE;
	case STRATEGY_HSDP_FT:
		return STRATEGY_HSDP;
	default:
		return strategy;
	}
}

/* Needs drop_ones: a layout that still has modes has members. */
static void strategy_from_groups(struct normal *normal)
{
	bool shard = normal->shard.modes > 0, replicate = normal->replicate.modes > 0;

	if (!normal->plan->world)
		normal->strategy = strategy_by_name(normal->strategy);
	else if (shard)
		normal->strategy = replicate ? STRATEGY_HSDP : STRATEGY_FSDP;
	else
		normal->strategy = replicate ? STRATEGY_DDP : STRATEGY_NONE;
}

const struct equivalence equivalences[] = {
	{ "role-not-name", "names of meshes do not matter, their rank sets and roles do",
	  take_roles },
	{ "fake-group", "a group on the fake backend carries nothing", drop_fake },
	{ "axis-of-one", "an axis of size 1 is no axis", drop_ones },
	{ "rank-set", "flattened and unflattened groups with equal rank sets are equal",
	  as_rank_sets },
	{ "strategy-by-groups",
	  "DDP is HSDP with shard 1, FSDP over one rank is none, cp without dp_shard is FSDP over "
	  "cp, replicas in other jobs (torchft) are not in this world",
	  strategy_from_groups },
	{ NULL, NULL, NULL },
};

struct normal plan_normalise(const struct plan *plan)
{
	const struct equivalence *row;
	struct normal normal = {
		.plan = plan,
		.strategy = plan->dense.strategy,
		.shard = plan->dense.shard,
		.replicate = plan->dense.replicate,
		.expert_shard = plan->has_expert ? plan->expert.shard : plan->dense.shard,
		.expert_replicate =
			plan->has_expert ? plan->expert.replicate : plan->dense.replicate,
	};

	for (row = equivalences; row->name; row++)
		row->apply(&normal);
	return normal;
}
