#include "evidence/observed/plan.h"

/* The axis that a family stands for; ROLES: none. Parameters are shared over cp, too. */
static enum role axis_of_family(const struct observed *observed, int32_t family)
{
	int axis;

	for (axis = 0; axis < ROLES; axis++)
		if (observed->axes.axis[axis].family == family)
			return (enum role)axis;
	return ROLES;
}

static bool shares_with_context(const struct observed *observed, int32_t family)
{
	return observed->axes.axis[ROLE_SHARD].family == family &&
	       observed_degree(observed, ROLE_CP) > 1;
}

const char *observed_mesh_name(const struct observed *observed, int32_t family)
{
	const enum role axis = axis_of_family(observed, family);

	if (axis == ROLES)
		return family_name(observed->arena, &observed->families.list.items[family]);
	return shares_with_context(observed, family) ? "dp_shard_cp" : role_name(axis);
}

static void add_family(const struct observed *observed, int32_t index, struct plan *plan)
{
	const struct group_family *family = &observed->families.list.items[index];
	const enum role axis = axis_of_family(observed, index);
	struct mesh mesh = { .name = observed_mesh_name(observed, index),
			     .layout = family->layout,
			     .exists = true,
			     .backend = "nccl" };

	if (!family->regular || family->size < 2)
		return;
	mesh.flattened = axis == ROLES || axis == ROLE_EP || shares_with_context(observed, index);
	vec_push(plan->arena, &plan->meshes, mesh);
}

/* Outermost first: by the stride of the innermost mode, then by size. */
static bool is_before(const struct mesh *a, const struct mesh *b)
{
	const int64_t x = a->layout.stride[a->layout.modes - 1],
		      y = b->layout.stride[b->layout.modes - 1];

	if (a->flattened != b->flattened)
		return b->flattened;
	return x != y ? x > y : layout_size(&a->layout) < layout_size(&b->layout);
}

static void sort(struct plan *plan)
{
	size_t i, k;

	for (i = 1; i < plan->meshes.count; i++)
		for (k = i; k > 0 && is_before(&plan->meshes.items[k], &plan->meshes.items[k - 1]);
		     k--) {
			struct mesh mesh = plan->meshes.items[k];
			plan->meshes.items[k] = plan->meshes.items[k - 1];
			plan->meshes.items[k - 1] = mesh;
		}
}

static struct layout layout_seen(const struct observed *observed, enum role axis)
{
	const struct layout none = { 0 };
	const int32_t family = observed->axes.axis[axis].family;

	if (family < 0 || !observed->families.list.items[family].regular)
		return none;
	return observed->families.list.items[family].layout;
}

static void set_sharding(const struct observed *observed, struct plan *plan)
{
	struct sharding *dense = &plan->dense;

	dense->shard = layout_seen(observed, ROLE_SHARD);
	dense->replicate = layout_seen(observed, ROLE_REPLICATE);
	if (dense->shard.modes)
		dense->strategy = dense->replicate.modes ? STRATEGY_HSDP : STRATEGY_FSDP;
	else
		dense->strategy = dense->replicate.modes ? STRATEGY_DDP : STRATEGY_NONE;
	plan->requested = dense->strategy;
}

struct plan *observed_plan(const struct observed *observed)
{
	struct plan *plan = plan_new(observed->arena, PLAN_OBSERVED);
	size_t i;

	plan->world = observed->families.world;
	plan->degrees = (struct degrees) {
		.dp_replicate = observed_degree(observed, ROLE_REPLICATE),
		.dp_shard = observed_degree(observed, ROLE_SHARD),
		.cp = observed_degree(observed, ROLE_CP),
		.tp = observed_degree(observed, ROLE_TP),
		.pp = observed_degree(observed, ROLE_PP),
		.ep = observed_degree(observed, ROLE_EP),
	};
	for (i = 0; i < observed->families.list.count; i++)
		add_family(observed, (int32_t)i, plan);
	sort(plan);
	set_sharding(observed, plan);
	return plan;
}
