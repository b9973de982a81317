#include "report/plan/view.h"

#include "base/text.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const struct degree_row degree_rows[] = {
	{ "dp", FIELD_DP, offsetof(struct degrees, dp), false },
	{ "dp_replicate", FIELD_DP_REPLICATE, offsetof(struct degrees, dp_replicate), true },
	{ "dp_shard", FIELD_DP_SHARD, offsetof(struct degrees, dp_shard), true },
	{ "cp", FIELD_CP, offsetof(struct degrees, cp), true },
	{ "tp", FIELD_TP, offsetof(struct degrees, tp), true },
	{ "weight_shards", FIELD_WEIGHT_SHARDS, offsetof(struct degrees, weight_shards), false },
	{ "pp", FIELD_PP, offsetof(struct degrees, pp), true },
	{ "ep", FIELD_EP, offsetof(struct degrees, ep), true },
	{ "etp", FIELD_ETP, offsetof(struct degrees, etp), false },
	{ NULL, FIELD_COUNT, 0, false },
};

static int64_t degree_value(const struct plan *plan, const struct degree_row *row)
{
	int64_t value;

	memcpy(&value, (const char *)&plan->degrees + row->offset, sizeof(value));
	return value;
}

int64_t degree_shown(const struct job *job, const struct plan *plan, const struct degree_row *row)
{
	const int64_t value = degree_value(plan, row);
	const int64_t asked = value < 0 && plan->error ? degree_value(job->intended, row) : 0;

	return asked > 0 ? asked : value;
}

static int by_first(const void *left, const void *right)
{
	const struct rank_range *a = left, *b = right;

	return a->first < b->first ? -1 : a->first > b->first;
}

/* Sorts the ranges and joins those that touch. */
static void tidy(struct rank_list *list)
{
	struct rank_range *items = list->ranges.items;
	size_t i, kept = 0;

	qsort(items, list->ranges.count, sizeof(*items), by_first);
	for (i = 1; i < list->ranges.count; i++) {
		if (items[i].first > items[kept].last + 1)
			items[++kept] = items[i];
		else if (items[i].last > items[kept].last)
			items[kept].last = items[i].last;
	}
	list->ranges.count = kept + 1;
}

/* The rank that makes up the whole word. */
static bool read_rank(struct arena *arena, const char *word, size_t length, int64_t *rank)
{
	return length && strspn(word, "0123456789") >= length &&
	       text_to_int(arena_strndup(arena, word, length), rank) && *rank < INT64_MAX;
}

/* "5" or "5-7". */
static bool read_range(struct arena *arena, const char *word, size_t length,
		       struct rank_range *range)
{
	size_t first = strcspn(word, "-,");

	if (first < length)
		return read_rank(arena, word, first, &range->first) &&
		       read_rank(arena, word + first + 1, length - first - 1, &range->last) &&
		       range->last >= range->first;
	if (!read_rank(arena, word, length, &range->first))
		return false;
	range->last = range->first;
	return true;
}

const char *rank_list_read(struct arena *arena, const char *text, struct rank_list *list)
{
	const char *word = text;

	for (;;) {
		size_t length = strcspn(word, ",");
		struct rank_range range;
		if (!read_range(arena, word, length, &range))
			return arena_printf(
				arena, "'%.*s' is neither a rank (5) nor a range of ranks (5-7)",
				(int)length, word);
		vec_push(arena, &list->ranges, range);
		if (!word[length])
			break;
		word += length + 1;
	}
	tidy(list);
	return NULL;
}

int64_t rank_list_count(const struct rank_list *list)
{
	int64_t count = 0;
	size_t i;

	for (i = 0; i < list->ranges.count; i++)
		count += list->ranges.items[i].last - list->ranges.items[i].first + 1;
	return count;
}

const struct plan *job_plan(const struct job *job)
{
	return job->applied ? job->applied : job->intended;
}

const struct plan_error *plan_view_error(const struct plan_view *view, const struct plan *plan)
{
	return view->doubt ? NULL : plan->error ? plan->error : view->stop;
}

bool plan_view_lists(const struct plan_view *view, const struct plan *plan)
{
	return view->expand || plan->world <= RANKS_LISTED;
}

static const char *check_mesh(struct arena *arena, const char *name, const struct plan *plan)
{
	const char *names = "", *near;
	VEC(const char *) known = { 0 };
	size_t i;

	if (plan_mesh(plan, name))
		return NULL;
	if (!plan->meshes.count)
		return arena_printf(arena, "there is no mesh '%s': no mesh is built", name);
	for (i = 0; i < plan->meshes.count; i++) {
		vec_push(arena, &known, plan->meshes.items[i].name);
		names = arena_printf(arena, "%s%s%s", names, i ? ", " : "", known.items[i]);
	}
	near = text_nearest(name, known.items, known.count);
	if (near)
		return arena_printf(arena, "there is no mesh '%s'; did you mean '%s'?", name, near);
	return arena_printf(arena, "there is no mesh '%s'; there are %s", name, names);
}

const char *plan_view_check(struct arena *arena, const struct plan_view *view,
			    const struct plan *plan)
{
	size_t count = view->ranks.ranges.count;
	int64_t ranks = rank_list_count(&view->ranks);

	if (!plan->world)
		return NULL;
	if (count && view->ranks.ranges.items[count - 1].last >= plan->world)
		return arena_printf(arena,
				    "there is no rank %" PRId64 ": the world has ranks 0-%" PRId64,
				    view->ranks.ranges.items[count - 1].last, plan->world - 1);
	if (ranks > RANKS_LISTED && !view->expand)
		return arena_printf(
			arena, "%" PRId64 " ranks are more than %d; add --expand to list them all",
			ranks, RANKS_LISTED);
	return view->mesh ? check_mesh(arena, view->mesh, plan) : NULL;
}
