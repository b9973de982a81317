#include "plan/comparison.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* ---- units ---- */

static const char *unit_at(const void *list, size_t at)
{
	const struct unit *items = list;

	return items[at].name;
}

static bool same_unit(const struct unit *a, const struct unit *b)
{
	return a->parameters == b->parameters && a->shard_elements == b->shard_elements &&
	       layout_size(&a->shard) == layout_size(&b->shard) &&
	       a->reshard_after_forward == b->reshard_after_forward && a->kept_over == b->kept_over;
}

static const char *forward_text(struct arena *arena, const struct unit *unit)
{
	if (unit->kept_over)
		return arena_printf(arena, "cut over %" PRId64 " ranks after forward",
				    unit->kept_over);
	return unit->reshard_after_forward ? "freed after forward" : "kept after forward";
}

/* "9 parameters, 27,264,000 elements on each of 8 ranks, freed after forward" */
static const char *unit_text(struct arena *arena, const struct unit *unit)
{
	int64_t ranks;

	if (!unit)
		return difference_absent;
	ranks = layout_size(&unit->shard);
	return arena_printf(arena, "%d parameter%s, %s elements on %s%" PRId64 " rank%s, %s",
			    unit->parameters, unit->parameters == 1 ? "" : "s",
			    text_count(arena, unit->shard_elements), ranks == 1 ? "" : "each of ",
			    ranks, ranks == 1 ? "" : "s", forward_text(arena, unit));
}

/* Units by what is said of them: those that differ alike in many layers are one difference. */
struct unit_fold {
	struct comparison *c;
	struct map rows;
};

/* Either side may be NULL: there is no such unit. */
static void add_unit(struct unit_fold *fold, const struct unit *left, const struct unit *right)
{
	const struct unit *either = left ? left : right;
	struct arena *arena = fold->c->arena;
	const char *name = either ? either->name : "";
	const char *pattern = layer_pattern(arena, name);
	const char *before = unit_text(arena, left), *after = unit_text(arena, right);
	const char *key = arena_printf(arena, "%s\n%s\n%s", pattern, before, after);
	int64_t at = map_find(&fold->rows, key);

	if (at < 0) {
		at = (int64_t)comparison_add(fold->c, DIFFERENCE_UNIT, arena_strdup(arena, name),
					     before, after);
		map_add(&fold->rows, key, (uint32_t)at);
		return;
	}
	fold->c->found.list.items[at].count++;
	fold->c->found.list.items[at].subject = pattern;
}

/* A plan that places parameters says where fully_shard is called, and be it nowhere. */
static bool knows_units(const struct plan *plan)
{
	if (plan->stages_assumed)
		return false;
	return plan->units.count || (plan->origin == PLAN_APPLIED && plan->parameters.count);
}

void compare_units(struct comparison *c)
{
	const struct plan *left = c->left.plan, *right = c->right.plan;
	struct unit_fold fold = { .c = c, .rows = { .arena = c->arena } };
	struct names there = { .arena = c->arena,
			       .list = right->units.items,
			       .count = right->units.count,
			       .name = unit_at };
	bool *met;
	size_t i;

	if (!knows_units(left) || !knows_units(right))
		return;
	met = arena_array(c->arena, right->units.count, sizeof(*met));
	for (i = 0; i < left->units.count; i++) {
		const struct unit *unit = &left->units.items[i], *other = NULL;
		int64_t at = names_find(&there, unit->name, i);
		if (at >= 0) {
			other = &right->units.items[at];
			met[at] = true;
		}
		if (!other || !same_unit(unit, other))
			add_unit(&fold, unit, other);
	}
	for (i = 0; i < right->units.count; i++)
		if (!met[i])
			add_unit(&fold, NULL, &right->units.items[i]);
}

/* ---- stages ---- */

static bool is_uncut(const struct plan *plan)
{
	return plan->origin == PLAN_APPLIED && plan->world && plan->degrees.pp == 1;
}

/* Stages of a plan, 0 when they are not known. Without pipeline parallelism there is one. */
static size_t stage_count(const struct plan *plan)
{
	if (plan->stages_assumed)
		return 0;
	return is_uncut(plan) ? 1 : plan->stages.count;
}

/* NULL: the one stage of a model that is not cut. */
static const struct stage *stage_at(const struct plan *plan, size_t at)
{
	return is_uncut(plan) ? NULL : &plan->stages.items[at];
}

static char *stage_text(struct arena *arena, const struct stage *stage)
{
	size_t count = stage ? stage->modules.count : 0;

	if (!stage)
		return arena_strdup(arena, "the whole model");
	if (!count)
		return arena_printf(arena, "empty, on pp rank %" PRId64, stage->pp_rank);
	if (count == 1)
		return arena_printf(arena, "%s on pp rank %" PRId64, stage->modules.items[0],
				    stage->pp_rank);
	return arena_printf(arena, "%s ... %s (%zu modules) on pp rank %" PRId64,
			    stage->modules.items[0], stage->modules.items[count - 1], count,
			    stage->pp_rank);
}

static bool same_stage(const struct stage *a, const struct stage *b)
{
	size_t i;

	if (!a || !b)
		return a == b;
	if (a->pp_rank != b->pp_rank || a->modules.count != b->modules.count)
		return false;
	for (i = 0; i < a->modules.count; i++)
		if (strcmp(a->modules.items[i], b->modules.items[i]) != 0)
			return false;
	return true;
}

void compare_stages(struct comparison *c)
{
	const struct plan *left = c->left.plan, *right = c->right.plan;
	size_t before = stage_count(left), after = stage_count(right), i;

	if (!before || !after)
		return;
	if (before != after)
		comparison_add(c, DIFFERENCE_STAGE, "stages", comparison_number(c, (int64_t)before),
			       comparison_number(c, (int64_t)after));
	for (i = 0; i < before || i < after; i++) {
		const char *a = difference_absent, *b = difference_absent;
		if (i < before && i < after && same_stage(stage_at(left, i), stage_at(right, i)))
			continue;
		if (i < before)
			a = stage_text(c->arena, stage_at(left, i));
		if (i < after)
			b = stage_text(c->arena, stage_at(right, i));
		comparison_add(c, DIFFERENCE_STAGE, arena_printf(c->arena, "stage %zu", i), a, b);
	}
}
