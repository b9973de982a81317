#include "evidence/observed/factorisation.h"

#include <string.h>

enum role axis_of(enum seen_role role)
{
	static const enum role axes[SEEN_ROLES] = {
		[SEEN_UNKNOWN] = ROLES,
		[SEEN_CONTROL] = ROLES,
		[SEEN_BUFFERS] = ROLES,
		[SEEN_SHARD] = ROLE_SHARD,
		[SEEN_REPLICATE] = ROLE_REPLICATE,
		[SEEN_DDP] = ROLE_REPLICATE,
		[SEEN_ZERO] = ROLE_REPLICATE,
		[SEEN_TENSOR] = ROLE_TP,
		[SEEN_TENSOR_PLAIN] = ROLE_TP,
		[SEEN_PIPELINE] = ROLE_PP,
		[SEEN_CONTEXT] = ROLE_CP,
		[SEEN_EXPERT] = ROLE_EP,
	};

	return axes[role];
}

struct layout axis_planned(const struct plan *plan, enum role axis)
{
	const struct layout none = { 0 };
	const struct mesh *mesh;

	if (axis == ROLE_SHARD)
		return layout_canonical(&plan->dense.shard);
	if (axis == ROLE_REPLICATE)
		return layout_canonical(&plan->dense.replicate);
	mesh = axis == ROLE_EP ? NULL : plan_mesh(plan, role_name(axis));
	return mesh ? layout_canonical(&mesh->layout) : none;
}

bool family_is(const struct group_family *family, const struct layout *layout)
{
	if (!layout->modes || family->size != layout_size(layout))
		return false;
	return !family->members || (family->regular && layout_same_groups(&family->layout, layout));
}

/* What speaks for a family as an axis, the weightier first. */
struct claim {
	bool planned, regular, copies, strong;
	int64_t ranks, size;
};

static int compare(const struct claim *a, const struct claim *b)
{
	if (a->planned != b->planned)
		return a->planned - b->planned;
	if (a->regular != b->regular)
		return a->regular - b->regular;
	if (a->copies != b->copies)
		return a->copies - b->copies;
	if (a->strong != b->strong)
		return a->strong - b->strong;
	if (a->ranks != b->ranks)
		return a->ranks > b->ranks ? 1 : -1;
	return (a->size > b->size) - (a->size < b->size);
}

bool family_is_even(const struct families *families, int32_t index)
{
	int64_t gathers = 0, scatters = 0;
	size_t i;

	for (i = 0; i < families->flows.count; i++) {
		const struct group_flow *flow = &families->flows.items[i];
		if (flow->family != index || flow->role != SEEN_SHARD)
			continue;
		gathers += flow->call.op == SEEN_ALL_GATHER ? flow->call.count : 0;
		scatters += flow->call.op == SEEN_REDUCE_SCATTER ? flow->call.count : 0;
	}
	return gathers == scatters;
}

/*
 * ZeRO-1 and ZeRO-2 are what the plan says of their groups: a kind of sharding, or copies. So are
 * gathers and scatters that may be those of a distributed optimizer, where the plan means copies.
 */
static bool speaks_of(const struct families *families, const struct group_flow *flow,
		      enum role axis, const struct plan *intended)
{
	const struct group_family *family = &families->list.items[flow->family];
	struct layout shard, copies;

	if (!intended || (flow->role != SEEN_ZERO && flow->role != SEEN_SHARD))
		return axis_of(flow->role) == axis;
	shard = axis_planned(intended, ROLE_SHARD);
	copies = axis_planned(intended, ROLE_REPLICATE);
	if (flow->role == SEEN_ZERO)
		return axis == (family_is(family, &shard) ? ROLE_SHARD : ROLE_REPLICATE);
	if (!shard.modes && family_is(family, &copies) && family_is_even(families, flow->family))
		return axis == ROLE_REPLICATE;
	return axis == ROLE_SHARD;
}

/* Gathers what flows say of a family as that axis; false: nothing. */
static bool claim_of(const struct families *families, int32_t index, enum role axis,
		     const struct plan *intended, struct claim *claim, enum seen_role *how)
{
	const struct group_family *family = &families->list.items[index];
	int64_t last = -2;
	size_t i;

	memset(claim, 0, sizeof(*claim));
	claim->size = family->size;
	claim->regular = family->regular || !family->members;
	if (intended) {
		struct layout planned = axis_planned(intended, axis);
		claim->planned = family_is(family, &planned);
	}
	for (i = 0; i < families->flows.count; i++) {
		const struct group_flow *flow = &families->flows.items[i];
		if (flow->family != index || !speaks_of(families, flow, axis, intended))
			continue;
		if (last == -2 || flow->strong > claim->strong)
			*how = flow->role;
		claim->strong = claim->strong || flow->strong;
		claim->copies = claim->copies || flow->role == SEEN_REPLICATE;
		claim->ranks += flow->call.rank != last;
		last = flow->call.rank;
	}
	return last != -2 && family->size != 1;
}

static struct seen_axis find_axis(const struct families *families, enum role axis,
				  const struct plan *intended)
{
	struct seen_axis found = { .family = -1 };
	struct claim best = { 0 }, claim;
	enum seen_role how = SEEN_UNKNOWN;
	size_t i;

	for (i = 0; i < families->list.count; i++) {
		if (!claim_of(families, (int32_t)i, axis, intended, &claim, &how))
			continue;
		if (found.family >= 0 && compare(&claim, &best) <= 0)
			continue;
		best = claim;
		found.family = (int32_t)i;
		found.strong = claim.strong;
		found.how = how;
	}
	if (found.family >= 0 && (families->list.items[found.family].regular ||
				  !families->list.items[found.family].members))
		found.degree = families->list.items[found.family].size;
	return found;
}

/* Whether every group of the one lies in a group of the other. */
static bool lies_in(const struct group_family *inner, const struct group_family *outer)
{
	int64_t i;

	if (!inner->regular || !outer->regular || inner->size >= outer->size)
		return false;
	for (i = 0; i < inner->size; i++)
		if (layout_base(&outer->layout, layout_offset(&inner->layout, i)) != 0)
			return false;
	return true;
}

/* Context parallelism is part of sharding: of those that share parameters dp_shard is the rest. */
static void split_context(const struct families *families, struct factorisation *axes,
			  const struct plan *intended)
{
	struct seen_axis *shard = &axes->axis[ROLE_SHARD], *context = &axes->axis[ROLE_CP];
	const struct group_family *family;

	if (shard->degree <= 1)
		return;
	family = &families->list.items[shard->family];
	if (context->degree > 1 && lies_in(&families->list.items[context->family], family)) {
		shard->degree /= context->degree;
		return;
	}
	if (context->family < 0 && intended && intended->degrees.cp > 1) {
		struct layout planned = axis_planned(intended, ROLE_SHARD);
		if (family_is(family, &planned)) {
			context->degree = intended->degrees.cp;
			shard->degree /= context->degree;
		}
	}
}

/* What multiplies to the world; axes that no call shows have one rank when the others do. */
static void solve(const struct families *families, struct factorisation *axes)
{
	int64_t product = 1;
	int axis;

	for (axis = 0; axis < ROLE_EP; axis++)
		if (axes->axis[axis].degree > 0)
			product *= axes->axis[axis].degree;
		else if (axes->axis[axis].family >= 0)
			return;
	axes->solved = families->world > 0 && product == families->world;
	for (axis = 0; axes->solved && axis < ROLE_EP; axis++)
		if (!axes->axis[axis].degree)
			axes->axis[axis].degree = 1;
}

struct factorisation factorisation_of(const struct families *families, const struct plan *intended)
{
	struct factorisation axes = { 0 };
	int axis;

	for (axis = 0; axis < ROLES; axis++)
		axes.axis[axis] = find_axis(families, (enum role)axis, intended);
	split_context(families, &axes, intended);
	solve(families, &axes);
	return axes;
}
