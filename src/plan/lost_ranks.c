#include "plan/lost_ranks.h"

#include <stdlib.h>

static int ascending(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* Sorts, drops repetitions, returns how many are left. */
static int64_t distinct(int64_t *items, int64_t count)
{
	int64_t i, kept = 0;

	if (count)
		qsort(items, (size_t)count, sizeof(*items), ascending);
	for (i = 0; i < count; i++)
		if (!kept || items[kept - 1] != items[i])
			items[kept++] = items[i];
	return kept;
}

struct loss loss_of(struct arena *arena, const struct plan *plan, int64_t *ranks, int64_t count)
{
	return (struct loss) { arena, plan, ranks, distinct(ranks, count) };
}

static bool is_lost(const struct loss *loss, int64_t rank)
{
	return loss->count &&
	       bsearch(&rank, loss->ranks, (size_t)loss->count, sizeof(rank), ascending) != NULL;
}

/* ---- groups ---- */

/* Whether every member of the group that starts at `base` is lost. */
static bool all_lost(const struct loss *loss, const struct layout *layout, int64_t base)
{
	int64_t size = layout_size(layout), i;

	for (i = 0; i < size; i++)
		if (!is_lost(loss, base + layout_offset(layout, i)))
			return false;
	return true;
}

/* The first ranks of the groups with a lost member, ascending; only of pp_rank, or -1: of all. */
static int64_t broken_bases(const struct loss *loss, const struct layout *layout, int64_t pp_rank,
			    int64_t **bases)
{
	int64_t i, count = 0;

	*bases = arena_array(loss->arena, (size_t)loss->count, sizeof(**bases));
	for (i = 0; i < loss->count; i++)
		if (pp_rank < 0 || plan_pp_rank(loss->plan, loss->ranks[i]) == pp_rank)
			(*bases)[count++] = layout_base(layout, loss->ranks[i]);
	return distinct(*bases, count);
}

struct group_loss loss_groups(const struct loss *loss, const struct layout *layout)
{
	struct layout set = layout_canonical(layout);
	struct group_loss lost = { .groups = loss->plan->world / layout_size(&set) };
	int64_t *bases, i;

	lost.broken = broken_bases(loss, &set, -1, &bases);
	lost.first = lost.broken ? bases[0] : 0;
	for (i = 0; i < lost.broken; i++)
		lost.gone += all_lost(loss, &set, bases[i]);
	return lost;
}

struct replica_loss loss_replicas(const struct loss *loss)
{
	const struct layout *replicate = &loss->plan->dense.replicate;
	struct replica_loss lost = { .replicas = layout_size(replicate) };
	int64_t *which = arena_array(loss->arena, (size_t)loss->count, sizeof(*which)), i, count;

	for (i = 0; i < loss->count; i++)
		which[i] = layout_index(replicate, loss->ranks[i]);
	count = distinct(which, loss->count);
	for (i = 0; i < count; i++)
		vec_push(loss->arena, &lost.broken, which[i]);
	return lost;
}

/* ---- who holds the same part ---- */

static void cut_by(struct layout *cuts, const struct layout *layout)
{
	struct layout set = layout_canonical(layout);

	*cuts = layout_join(*cuts, set);
}

static void cut_by_stage(struct layout *cuts, const struct plan *plan)
{
	const struct mesh *pp = plan_mesh(plan, "pp");

	if (pp)
		cut_by(cuts, &pp->layout);
}

/* The ranks that hold the same part: those that differ in nothing that cuts. */
static bool holders_of(const struct plan *plan, const struct sharded *sharded,
		       struct layout *holders)
{
	struct layout cuts = { 0 };
	int i;

	for (i = 0; i < sharded->dims; i++)
		if (sharded->dim[i].placement.kind == PLACE_SHARD ||
		    sharded->dim[i].placement.kind == PLACE_STRIDED_SHARD)
			cut_by(&cuts, sharded->dim[i].layout);
	cut_by_stage(&cuts, plan);
	return layout_complement(&cuts, plan->world, holders);
}

/* The same for matrices nobody listed. */
static bool holders_of_matrices(const struct plan *plan, bool expert, struct layout *holders)
{
	const struct sharding *sharding = expert ? &plan->expert : &plan->dense;
	const struct mesh *across = plan_mesh(plan, expert ? "ep" : "tp");
	const struct mesh *within = expert ? plan_mesh(plan, "etp") : NULL;
	struct layout cuts = { 0 };

	cut_by(&cuts, &sharding->shard);
	if (across)
		cut_by(&cuts, &across->layout);
	if (within)
		cut_by(&cuts, &within->layout);
	cut_by_stage(&cuts, plan);
	return layout_complement(&cuts, plan->world, holders);
}

/* ---- parameters ---- */

/* Parameters that are cut alike on one pipeline rank lose the same parts. */
struct alike {
	struct layout holders;
	int64_t pp_rank;
	int64_t *gone, count; /* first ranks of holders that are all lost */
};

struct search {
	const struct loss *loss;
	VEC(struct alike) list;
	struct parameter_loss found;
};

static int64_t pp_rank_of(const struct plan *plan, const struct sharded *sharded)
{
	if (sharded->stage < 0 || (size_t)sharded->stage >= plan->stages.count)
		return -1;
	return plan->stages.items[sharded->stage].pp_rank;
}

static void keep_gone(const struct loss *loss, struct alike *alike)
{
	int64_t *bases, broken = broken_bases(loss, &alike->holders, alike->pp_rank, &bases), i;

	alike->gone = bases;
	for (i = 0; i < broken; i++)
		if (all_lost(loss, &alike->holders, bases[i]))
			alike->gone[alike->count++] = bases[i];
}

static const struct alike *alike_of(struct search *search, const struct layout *holders,
				    int64_t pp_rank)
{
	struct alike alike = { .holders = *holders, .pp_rank = pp_rank };
	size_t i;

	for (i = 0; i < search->list.count; i++)
		if (search->list.items[i].pp_rank == pp_rank &&
		    layout_same_groups(&search->list.items[i].holders, holders))
			return &search->list.items[i];
	keep_gone(search->loss, &alike);
	vec_push(search->loss->arena, &search->list, alike);
	return &search->list.items[search->list.count - 1];
}

static int by_first(const void *left, const void *right)
{
	const struct loss_range *a = left, *b = right;

	return a->first < b->first ? -1 : a->first > b->first;
}

static void note_experts(struct search *search, const struct box *box)
{
	struct loss_range range = { box->offset[0], box->offset[0] + box->shape[0] - 1 };
	size_t i;

	for (i = 0; i < search->found.experts.count; i++)
		if (search->found.experts.items[i].first <= range.first &&
		    search->found.experts.items[i].last >= range.last)
			return;
	vec_push(search->loss->arena, &search->found.experts, range);
}

/* A part that is empty is nobody's loss. */
static void judge(struct search *search, size_t at)
{
	const struct plan *plan = search->loss->plan;
	const struct sharded *sharded = &plan->parameters.items[at];
	const struct alike *alike;
	struct layout holders;
	bool gone = false;
	int64_t i;

	if (sharded->copy || !holders_of(plan, sharded, &holders))
		return;
	alike = alike_of(search, &holders, pp_rank_of(plan, sharded));
	for (i = 0; i < alike->count && !(gone && !sharded->parameter->expert); i++) {
		struct box box = plan_box(sharded, alike->gone[i]);
		if (!box_volume(&box))
			continue;
		gone = true;
		if (sharded->parameter->expert)
			note_experts(search, &box);
	}
	if (gone)
		vec_push(search->loss->arena, &search->found.gone, at);
}

/* Sorts the ranges and joins those that touch. */
static void join_experts(struct parameter_loss *found)
{
	struct loss_range *items = found->experts.items;
	size_t i, kept = 0;

	if (!found->experts.count)
		return;
	qsort(items, found->experts.count, sizeof(*items), by_first);
	for (i = 1; i < found->experts.count; i++) {
		if (items[i].first > items[kept].last + 1)
			items[++kept] = items[i];
		else if (items[i].last > items[kept].last)
			items[kept].last = items[i].last;
	}
	found->experts.count = kept + 1;
}

struct parameter_loss loss_parameters(const struct loss *loss)
{
	struct search search = { .loss = loss };
	size_t i;

	for (i = 0; plan_places(loss->plan) && i < loss->plan->parameters.count; i++)
		judge(&search, i);
	join_experts(&search.found);
	return search.found;
}

struct part_loss loss_parts(const struct loss *loss, int64_t pp_rank, bool expert)
{
	const struct mesh *pp = plan_mesh(loss->plan, "pp");
	int64_t stages = pp ? layout_size(&pp->layout) : 1;
	struct alike alike = { .pp_rank = pp_rank };
	struct part_loss lost = { 0 };

	if (!holders_of_matrices(loss->plan, expert, &alike.holders))
		return lost;
	keep_gone(loss, &alike);
	lost.parts = loss->plan->world / layout_size(&alike.holders) / stages;
	lost.gone = alike.count;
	return lost;
}
