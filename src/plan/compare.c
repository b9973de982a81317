#include "plan/compare.h"

#include "plan/comparison.h"

#include <inttypes.h>
#include <string.h>

/* Groups written out in full before they are folded into "... (N groups)". */
enum { GROUPS_SHOWN = 4 };

static const char *const kind_names[] = {
	[DIFFERENCE_STRATEGY] = "strategy",
	[DIFFERENCE_SHARD_GROUP] = "shard group",
	[DIFFERENCE_REPLICATE_GROUP] = "replicate group",
	[DIFFERENCE_AXIS_SIZE] = "axis size",
	[DIFFERENCE_AXIS_ORDER] = "axis order",
	[DIFFERENCE_MEMBERSHIP] = "membership",
	[DIFFERENCE_PLACEMENT] = "placement",
	[DIFFERENCE_UNIT] = "unit",
	[DIFFERENCE_STAGE] = "stage",
	[DIFFERENCE_MESH] = "mesh",
	[DIFFERENCE_MESH_NAME] = "mesh name",
	[DIFFERENCE_EXCEPTION] = "exception",
};

const char difference_absent[] = "absent";

const char *difference_kind_name(enum difference_kind kind)
{
	return kind_names[kind];
}

bool differences_have(const struct differences *differences, enum difference_kind kind)
{
	size_t i;

	for (i = 0; i < differences->list.count; i++)
		if (differences->list.items[i].kind == kind)
			return true;
	return false;
}

size_t comparison_add(struct comparison *c, enum difference_kind kind, const char *subject,
		      const char *left, const char *right)
{
	struct difference difference = {
		.kind = kind, .subject = subject, .left = left, .right = right, .count = 1
	};

	vec_push(c->arena, &c->found.list, difference);
	return c->found.list.count - 1;
}

char *comparison_number(struct comparison *c, int64_t n)
{
	return arena_printf(c->arena, "%" PRId64, n);
}

int64_t names_find(struct names *names, const char *name, size_t near)
{
	size_t i;

	if (near < names->count && !strcmp(names->name(names->list, near), name))
		return (int64_t)near;
	if (!names->indexed) {
		names->indexed = true;
		names->map.arena = names->arena;
		for (i = 0; i < names->count; i++)
			map_add(&names->map, names->name(names->list, i), (uint32_t)i);
	}
	return map_find(&names->map, name);
}

char *layer_pattern(struct arena *arena, const char *name)
{
	const char *part = name, *end;

	while (*part) {
		end = part + strcspn(part, ".");
		if (end > part && strspn(part, "0123456789") == (size_t)(end - part))
			return arena_printf(arena, "%.*s*%s", (int)(part - name), name, end);
		part = *end ? end + 1 : end;
	}
	return arena_strdup(arena, name);
}

/* ---- exceptions ---- */

static const char *exception_text(struct arena *arena, const struct plan_error *error)
{
	if (!error)
		return "none";
	return arena_printf(arena, "%s%s%s", error->type, *error->message ? ": " : "",
			    error->message);
}

static void compare_exception(struct comparison *c, const char *subject,
			      const struct plan_error *left, const struct plan_error *right)
{
	const char *a, *b;

	if (!left && !right)
		return;
	a = exception_text(c->arena, left);
	b = exception_text(c->arena, right);
	if (strcmp(a, b) != 0)
		comparison_add(c, DIFFERENCE_EXCEPTION, subject, a, b);
}

static void compare_exceptions(struct comparison *c)
{
	const struct plan *left = c->left.plan, *right = c->right.plan;

	compare_exception(c, "while building", left->error, right->error);
	compare_exception(c, "before the first step", left->later, right->later);
}

/* ---- groups ---- */

static void compare_groups(struct comparison *c, enum difference_kind kind, const char *subject,
			   const struct layout *left, const struct layout *right)
{
	if (layout_same_groups(left, right))
		return;
	comparison_add(c, kind, subject,
		       groups_text(c->arena, left, c->left.plan->world, GROUPS_SHOWN),
		       groups_text(c->arena, right, c->right.plan->world, GROUPS_SHOWN));
}

/* True when a plan knows its parameters and none of them is an expert's. */
static bool has_no_experts(const struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->parameters.count; i++)
		if (plan->parameters.items[i].parameter->expert)
			return false;
	return plan->parameters.count > 0;
}

/* Experts count when a plan gives them a mesh of their own and there may be any. */
static bool compares_experts(const struct comparison *c)
{
	const struct plan *left = c->left.plan, *right = c->right.plan;

	return (left->has_expert || right->has_expert) && !has_no_experts(left) &&
	       !has_no_experts(right);
}

static void compare_sharing(struct comparison *c)
{
	const struct normal *left = &c->left, *right = &c->right;
	bool experts = compares_experts(c);

	if (left->strategy != right->strategy)
		comparison_add(c, DIFFERENCE_STRATEGY, "data parallel",
			       strategy_name(left->strategy), strategy_name(right->strategy));
	compare_groups(c, DIFFERENCE_SHARD_GROUP, "parameters", &left->shard, &right->shard);
	if (experts)
		compare_groups(c, DIFFERENCE_SHARD_GROUP, "experts", &left->expert_shard,
			       &right->expert_shard);
	compare_groups(c, DIFFERENCE_REPLICATE_GROUP, "parameters", &left->replicate,
		       &right->replicate);
	if (experts)
		compare_groups(c, DIFFERENCE_REPLICATE_GROUP, "experts", &left->expert_replicate,
			       &right->expert_replicate);
}

/* ---- axes ---- */

/* True when a plan may have degrees that it does not tell. */
static bool is_partial(const struct plan *plan)
{
	return plan->origin == PLAN_OBSERVED || plan->error || !plan->world;
}

/*
 * The degree behind a role; 0: unknown. Total data parallel counts as whichever of the two it
 * is used for, and an axis that a framework does not have has size 1.
 */
static int64_t degree(const struct normal *normal, enum role role)
{
	const struct degrees *d = &normal->plan->degrees;
	bool only_dp = d->dp && !d->dp_replicate && !d->dp_shard,
	     ddp = only_dp && !normal->shard.modes;
	const int64_t degrees[ROLES] = {
		[ROLE_PP] = d->pp,
		[ROLE_REPLICATE] = ddp ? d->dp : d->dp_replicate,
		[ROLE_SHARD] = only_dp && !ddp ? d->dp : d->dp_shard,
		[ROLE_CP] = d->cp,
		[ROLE_TP] = d->tp,
		[ROLE_EP] = d->ep,
	};

	if (degrees[role] > 0)
		return degrees[role];
	return is_partial(normal->plan) ? 0 : 1;
}

static void compare_axes(struct comparison *c)
{
	int64_t ranks = c->left.plan->world, others = c->right.plan->world;
	int role;

	if (ranks && others && ranks != others)
		comparison_add(c, DIFFERENCE_AXIS_SIZE, "world", comparison_number(c, ranks),
			       comparison_number(c, others));
	for (role = 0; role < ROLES; role++) {
		int64_t left = degree(&c->left, role), right = degree(&c->right, role);
		if (left && right && left != right)
			comparison_add(c, DIFFERENCE_AXIS_SIZE, role_name(role),
				       comparison_number(c, left), comparison_number(c, right));
	}
}

/* The roles whose axis exists on both sides with one size, outermost first. */
static int ordered_roles(const struct normal *of, const struct normal *other, int *roles)
{
	int role, count = 0, i;

	for (role = 0; role < ROLES; role++) {
		const struct layout *axis = &of->axis[role];
		if (role == ROLE_EP || axis->modes != 1 || other->axis[role].modes != 1 ||
		    axis->size[0] != other->axis[role].size[0])
			continue;
		for (i = count++; i > 0 && of->axis[roles[i - 1]].stride[0] < axis->stride[0]; i--)
			roles[i] = roles[i - 1];
		roles[i] = role;
	}
	return count;
}

static char *roles_text(struct arena *arena, const int *roles, int count)
{
	char *text = arena_strdup(arena, "");
	int i;

	for (i = 0; i < count; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? ", " : "", role_name(roles[i]));
	return text;
}

static void compare_order(struct comparison *c)
{
	int left[ROLES], right[ROLES];
	int count = ordered_roles(&c->left, &c->right, left);

	if (ordered_roles(&c->right, &c->left, right) != count ||
	    !memcmp(left, right, sizeof(*left) * (size_t)count))
		return;
	comparison_add(c, DIFFERENCE_AXIS_ORDER, "axes, outermost first",
		       roles_text(c->arena, left, count), roles_text(c->arena, right, count));
}

/* Groups of one axis with equal size but other members; data parallel is compared by who shares. */
static void compare_membership(struct comparison *c)
{
	static const enum role roles[] = { ROLE_PP, ROLE_CP, ROLE_TP, ROLE_EP };
	size_t i;

	for (i = 0; i < sizeof(roles) / sizeof(*roles); i++) {
		const struct layout *left = &c->left.axis[roles[i]];
		const struct layout *right = &c->right.axis[roles[i]];
		if (left->modes && right->modes && layout_size(left) == layout_size(right))
			compare_groups(c, DIFFERENCE_MEMBERSHIP, role_name(roles[i]), left, right);
	}
}

static bool is_whole(const struct plan *plan)
{
	return !plan->error && !plan->unmodelled;
}

bool plan_comparable(const struct plan *left, const struct plan *right)
{
	return is_whole(left) && is_whole(right) && !left->world == !right->world;
}

struct differences plan_compare(struct arena *arena, const struct plan *left,
				const struct plan *right)
{
	struct comparison c = {
		.arena = arena,
		.left = plan_normalise(left),
		.right = plan_normalise(right),
	};
	bool comparable = plan_comparable(left, right);

	compare_exceptions(&c);
	if (comparable)
		compare_sharing(&c);
	compare_axes(&c);
	if (!comparable)
		return c.found;
	compare_order(&c);
	compare_membership(&c);
	compare_parameters(&c);
	compare_units(&c);
	compare_stages(&c);
	return c.found;
}
