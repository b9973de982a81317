#include "plan/compare.h"

#include "base/buf.h"
#include "base/map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Groups written out in full before they are folded into "... (N groups)". */
enum { GROUPS_SHOWN = 4 };

struct comparison {
	struct arena *arena;
	struct normal left, right;
	struct differences found;
	struct map alike; /* kind, pattern and both sides to index in `found` */
};

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
};

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

static void add(struct comparison *c, enum difference_kind kind, const char *subject,
		const char *left, const char *right)
{
	struct difference difference = { kind, subject, left, right, 1 };

	vec_push(c->arena, &c->found.list, difference);
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

/* Like add, but what differs alike in many layers is one difference. */
static void add_folded(struct comparison *c, enum difference_kind kind, const char *name,
		       const char *left, const char *right)
{
	const char *pattern = layer_pattern(c->arena, name);
	const char *key = arena_printf(c->arena, "%d %s\n%s\n%s", (int)kind, pattern, left, right);
	int64_t at = map_find(&c->alike, key);

	if (at < 0) {
		map_add(&c->alike, key, (uint32_t)c->found.list.count);
		add(c, kind, name, left, right);
		return;
	}
	c->found.list.items[at].count++;
	c->found.list.items[at].subject = pattern;
}

static char *number(struct comparison *c, int64_t n)
{
	return arena_printf(c->arena, "%" PRId64, n);
}

/* ---- groups ---- */

static void compare_groups(struct comparison *c, enum difference_kind kind, const char *subject,
			   const struct layout *left, const struct layout *right)
{
	if (layout_same_groups(left, right))
		return;
	add(c, kind, subject, groups_text(c->arena, left, c->left.plan->world, GROUPS_SHOWN),
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
		add(c, DIFFERENCE_STRATEGY, "data parallel", strategy_name(left->strategy),
		    strategy_name(right->strategy));
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

	if (degrees[role])
		return degrees[role];
	return normal->plan->origin == PLAN_OBSERVED ? 0 : 1;
}

static void compare_axes(struct comparison *c)
{
	int role;

	for (role = 0; role < ROLES; role++) {
		int64_t left = degree(&c->left, role), right = degree(&c->right, role);
		if (left && right && left != right)
			add(c, DIFFERENCE_AXIS_SIZE, role_name(role), number(c, left),
			    number(c, right));
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
	add(c, DIFFERENCE_AXIS_ORDER, "axes, outermost first", roles_text(c->arena, left, count),
	    roles_text(c->arena, right, count));
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

/* ---- parameters ---- */

static bool same_box(const struct box *a, const struct box *b)
{
	return a->dims == b->dims &&
	       !memcmp(a->shape, b->shape, sizeof(*a->shape) * (size_t)a->dims) &&
	       !memcmp(a->offset, b->offset, sizeof(*a->offset) * (size_t)a->dims);
}

/* True when the dims, without those of one rank, are the same word for word. */
static bool same_words(const struct sharded *a, const struct sharded *b)
{
	int i = 0, j = 0;

	for (;; i++, j++) {
		while (i < a->dims && layout_size(a->dim[i].layout) == 1)
			i++;
		while (j < b->dims && layout_size(b->dim[j].layout) == 1)
			j++;
		if (i == a->dims || j == b->dims)
			return i == a->dims && j == b->dims;
		if (!layout_same_groups(a->dim[i].layout, b->dim[j].layout) ||
		    a->dim[i].placement.kind != b->dim[j].placement.kind ||
		    a->dim[i].placement.dim != b->dim[j].placement.dim ||
		    a->dim[i].placement.factor != b->dim[j].placement.factor)
			return false;
	}
}

/*
 * True when every rank owns the same box on both sides. Beyond the words only ranks that sit at
 * the ends of some mesh dim are looked at: two plans that cut alike there cut alike everywhere.
 */
static bool same_parts(const struct sharded *a, const struct sharded *b)
{
	int i, j;

	if (same_words(a, b))
		return true;
	for (i = 0; i < a->dims + b->dims; i++) {
		const struct layout *layout =
			i < a->dims ? a->dim[i].layout : b->dim[i - a->dims].layout;
		const int64_t last = layout_size(layout) - 1, members[] = { 0, 1, last / 2, last };
		for (j = 0; j < 4; j++) {
			int64_t rank = members[j] > last ? 0 : layout_offset(layout, members[j]);
			struct box left = plan_box(a, rank), right = plan_box(b, rank);
			if (!same_box(&left, &right))
				return false;
		}
	}
	return a->dims + b->dims > 0;
}

/* "R S(0) on 2 x 8"; "whole" when nothing cuts it. */
static char *placements_text(struct arena *arena, const struct sharded *sharded)
{
	char *words = arena_strdup(arena, ""), *sizes = words;
	int i;

	for (i = 0; i < sharded->dims; i++) {
		int64_t size = layout_size(sharded->dim[i].layout);
		if (size == 1)
			continue;
		words = arena_printf(arena, "%s%s%s", words, *words ? " " : "",
				     placement_text(arena, sharded->dim[i].placement));
		sizes = arena_printf(arena, "%s%s%" PRId64, sizes, *sizes ? " x " : "", size);
	}
	return *words ? arena_printf(arena, "%s on %s", words, sizes)
		      : arena_strdup(arena, "whole");
}

static bool same_shape(const struct parameter *a, const struct parameter *b)
{
	return a->dims == b->dims &&
	       !memcmp(a->shape, b->shape, sizeof(*a->shape) * (size_t)a->dims);
}

static char *shape_text(struct arena *arena, const struct parameter *parameter)
{
	char *text = arena_strdup(arena, "[");
	int i;

	for (i = 0; i < parameter->dims; i++)
		text = arena_printf(arena, "%s%s%" PRId64, text, i ? ", " : "",
				    parameter->shape[i]);
	return arena_printf(arena, "%s]", text);
}

static void compare_parameter(struct comparison *c, const struct sharded *left,
			      const struct sharded *right)
{
	const char *fqn = left->parameter->fqn;
	char *a, *b;

	if (!same_shape(left->parameter, right->parameter)) {
		add_folded(c, DIFFERENCE_PLACEMENT, fqn, shape_text(c->arena, left->parameter),
			   shape_text(c->arena, right->parameter));
		return;
	}
	if (same_parts(left, right))
		return;
	a = placements_text(c->arena, left);
	b = placements_text(c->arena, right);
	if (!strcmp(a, b))
		b = arena_printf(c->arena, "%s, other ranks", b);
	add_folded(c, DIFFERENCE_PLACEMENT, fqn, a, b);
}

/* Index by name of the elements [0, count) whose names `name` gives. */
static struct map index_names(struct arena *arena, size_t count, const void *list,
			      const char *(*name)(const void *list, size_t at))
{
	struct map map = { .arena = arena };
	size_t i;

	for (i = 0; i < count; i++)
		map_add(&map, name(list, i), (uint32_t)i);
	return map;
}

static const char *parameter_at(const void *list, size_t at)
{
	const struct sharded *items = list;

	return items[at].parameter->fqn;
}

static void compare_parameters(struct comparison *c)
{
	const struct plan *left = c->left.plan, *right = c->right.plan;
	struct map there, here;
	size_t i;

	if (!left->parameters.count || !right->parameters.count)
		return;
	there = index_names(c->arena, right->parameters.count, right->parameters.items,
			    parameter_at);
	here = index_names(c->arena, left->parameters.count, left->parameters.items, parameter_at);
	for (i = 0; i < left->parameters.count; i++) {
		const struct sharded *sharded = &left->parameters.items[i];
		int64_t at = map_find(&there, sharded->parameter->fqn);
		if (at < 0)
			add_folded(c, DIFFERENCE_PLACEMENT, sharded->parameter->fqn,
				   shape_text(c->arena, sharded->parameter), "absent");
		else
			compare_parameter(c, sharded, &right->parameters.items[at]);
	}
	for (i = 0; i < right->parameters.count; i++) {
		const struct parameter *parameter = right->parameters.items[i].parameter;
		if (map_find(&here, parameter->fqn) < 0)
			add_folded(c, DIFFERENCE_PLACEMENT, parameter->fqn, "absent",
				   shape_text(c->arena, parameter));
	}
}

/* ---- units and stages ---- */

static const char *unit_at(const void *list, size_t at)
{
	const struct unit *items = list;

	return items[at].name;
}

static char *unit_text(struct arena *arena, const struct unit *unit)
{
	return arena_printf(arena, "%d parameters, %" PRId64 " elements a rank", unit->parameters,
			    unit->shard_elements);
}

static void compare_units(struct comparison *c)
{
	const struct plan *left = c->left.plan, *right = c->right.plan;
	struct map there, here;
	size_t i;

	if (!left->units.count || !right->units.count)
		return;
	there = index_names(c->arena, right->units.count, right->units.items, unit_at);
	here = index_names(c->arena, left->units.count, left->units.items, unit_at);
	for (i = 0; i < left->units.count; i++) {
		const struct unit *a = &left->units.items[i], *b;
		int64_t at = map_find(&there, a->name);
		b = at < 0 ? NULL : &right->units.items[at];
		if (!b || a->parameters != b->parameters || a->shard_elements != b->shard_elements)
			add_folded(c, DIFFERENCE_UNIT, a->name, unit_text(c->arena, a),
				   b ? unit_text(c->arena, b) : "absent");
	}
	for (i = 0; i < right->units.count; i++)
		if (map_find(&here, right->units.items[i].name) < 0)
			add_folded(c, DIFFERENCE_UNIT, right->units.items[i].name, "absent",
				   unit_text(c->arena, &right->units.items[i]));
}

static char *stage_text(struct arena *arena, const struct stage *stage)
{
	size_t count = stage->modules.count;

	if (!count)
		return arena_printf(arena, "empty, on pp rank %" PRId64, stage->pp_rank);
	return arena_printf(arena, "%s ... %s (%zu modules) on pp rank %" PRId64,
			    stage->modules.items[0], stage->modules.items[count - 1], count,
			    stage->pp_rank);
}

static bool same_stage(const struct stage *a, const struct stage *b)
{
	size_t i;

	if (a->pp_rank != b->pp_rank || a->modules.count != b->modules.count)
		return false;
	for (i = 0; i < a->modules.count; i++)
		if (strcmp(a->modules.items[i], b->modules.items[i]) != 0)
			return false;
	return true;
}

static void compare_stages(struct comparison *c)
{
	const struct plan *left = c->left.plan, *right = c->right.plan;
	size_t i;

	if (!left->stages.count || !right->stages.count)
		return;
	if (left->stages.count != right->stages.count) {
		add(c, DIFFERENCE_STAGE, "stages", number(c, (int64_t)left->stages.count),
		    number(c, (int64_t)right->stages.count));
		return;
	}
	for (i = 0; i < left->stages.count; i++)
		if (!same_stage(&left->stages.items[i], &right->stages.items[i]))
			add(c, DIFFERENCE_STAGE, arena_printf(c->arena, "stage %zu", i),
			    stage_text(c->arena, &left->stages.items[i]),
			    stage_text(c->arena, &right->stages.items[i]));
}

struct differences plan_compare(struct arena *arena, const struct plan *left,
				const struct plan *right)
{
	struct comparison c = {
		.arena = arena,
		.left = plan_normalise(left),
		.right = plan_normalise(right),
		.alike = { .arena = arena },
	};

	compare_sharing(&c);
	compare_axes(&c);
	compare_order(&c);
	compare_membership(&c);
	compare_parameters(&c);
	compare_units(&c);
	compare_stages(&c);
	return c.found;
}
