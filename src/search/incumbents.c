#include "search/nearest.h"
#include "search/refusals.h"
#include "search/steps.h"
#include "search/trial.h"
#include "search/written.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_score(const void *a, const void *b)
{
	return outcome_compare(a, b);
}

/* ---- the candidates that promise most ---- */

/* Of one choice of pp, tp, cp and recomputation; and of one region. */
enum { PROMISES = 6 };

struct promise {
	double score[2];
	uint64_t number;
	struct bound closer; /* of its plan, once that stands */
};

struct promises {
	struct promise best[PROMISES];
	int count;
};

struct promise_list {
	VEC(struct promises) list;
};

struct all_promises {
	struct promise_list wide, near;
};

/* Whether a score is among the best of them. */
static bool is_promising(const struct promises *promises, const double score[2])
{
	return promises->count < PROMISES ||
	       score_compare(score, promises->best[PROMISES - 1].score) < 0;
}

static void promise(struct promises *promises, const double score[2], uint64_t number)
{
	int at = promises->count < PROMISES ? promises->count++ : PROMISES;

	for (; at > 0 && score_compare(score, promises->best[at - 1].score) < 0; at--)
		if (at < PROMISES)
			promises->best[at] = promises->best[at - 1];
	if (at == PROMISES)
		return;
	promises->best[at].score[0] = score[0];
	promises->best[at].score[1] = score[1];
	promises->best[at].number = number;
}

/* A candidate of a layout promises something to those that it is not too slow for. */
static void take_promise(const struct search *search, struct layout_bounds *bounds, int64_t micro,
			 int64_t recompute, uint64_t number, struct promises *const lists[2])
{
	struct bound bound = { .time = bounds_time_at(bounds, micro, recompute) };
	double score[2];

	bound_score(search, &bounds->candidate, &bound, score);
	if (!is_promising(lists[0], score) && !is_promising(lists[1], score))
		return;
	bound = bounds_at(bounds, micro, recompute);
	if (bound_too_large(search, &bound))
		return;
	promise(lists[0], score, number);
	promise(lists[1], score, number);
}

/* `wide`: one for each way of recomputation. */
static void take_promises(const struct search *search, size_t layout, const struct leaves *leaves,
			  struct promises *wide, struct promises *near)
{
	const struct space *space = &search->space;
	uint64_t number = space->first.items[layout];
	struct layout_bounds bounds;
	size_t i, k;

	bounds_begin(&bounds, &search->bounds, space, &space->layouts.items[layout]);
	for (i = 0; i < leaves->micro.list.count; i++)
		for (k = 0; k < leaves->recompute.list.count; k++) {
			const int64_t way = leaves->recompute.list.items[k];
			struct promises *const lists[2] = { &wide[way], near };
			take_promise(search, &bounds, leaves->micro.list.items[i], way, number++,
				     lists);
		}
}

static bool same_until(const struct candidate *a, const struct candidate *b, enum axis last)
{
	enum axis axis;

	for (axis = AXIS_SITE; axis <= last; axis++)
		if (a->at[axis] != b->at[axis])
			return false;
	return true;
}

static void begin_promises(struct search *search, struct promise_list *promises, size_t count)
{
	const struct promises none = { .count = 0 };

	for (; count; count--)
		vec_push(search->arena, &promises->list, none);
}

static void find_promises(struct search *search, struct all_promises *all)
{
	const struct space *space = &search->space;
	const struct candidate *last = NULL;
	struct leaves leaves = { 0 };
	struct arena scratch;
	size_t i;

	arena_init(&scratch);
	for (i = 0; i < space->layouts.count; i++) {
		const struct candidate *layout = &space->layouts.items[i];
		const size_t ways = space->recompute.list.count;
		if (refusals_of(search, layout))
			continue;
		if (search_must_stop(search))
			break;
		space_leaves(space, layout, &scratch, &leaves);
		if (!last || !same_until(last, layout, AXIS_SEQUENCE))
			begin_promises(search, &all->wide, ways);
		if (!last || !same_until(last, layout, AXIS_ETP))
			begin_promises(search, &all->near, 1);
		take_promises(search, i, &leaves,
			      &all->wide.list.items[all->wide.list.count - ways],
			      &all->near.list.items[all->near.list.count - 1]);
		last = layout;
	}
	arena_release(&scratch);
}

static int by_promise(const void *a, const void *b)
{
	const struct promises *one = a, *other = b;
	int order;

	if (!one->count || !other->count)
		return one->count ? -1 : other->count ? 1 : 0;
	order = score_compare(one->best[0].score, other->best[0].score);
	if (order)
		return order;
	return one->best[0].number < other->best[0].number
		       ? -1
		       : one->best[0].number > other->best[0].number;
}

/* ---- the pass ---- */

/*
 * Plans that are looked at, and those that are enough where candidates run; candidates that are
 * forecast, incumbents whose neighbours are, and promises that are kept together.
 */
enum { PLANS = 2000, ENOUGH = 400, EFFORT = 480, EXPANDED = 16, TOGETHER = 64 };

struct ascent {
	struct search *search;
	VEC(uint64_t) seen;
	VEC(struct promise) kept; /* whose plans stand, with their closer bounds */
	VEC(uint64_t) done;	  /* incumbents whose neighbours were looked at */
	int plans, effort;
	bool front; /* what is looked for is fast and free, rather than fast alone */
};

static bool holds(const uint64_t *items, size_t count, uint64_t number)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (items[i] == number)
			return true;
	return false;
}

static void insert(struct search *search, const struct outcome *outcome)
{
	size_t at;

	vec_push(search->arena, &search->incumbents, *outcome);
	for (at = search->incumbents.count - 1;
	     at > 0 && outcome_compare(outcome, &search->incumbents.items[at - 1]) < 0; at--)
		search->incumbents.items[at] = search->incumbents.items[at - 1];
	search->incumbents.items[at] = *outcome;
}

/* The score that a candidate must be below to matter, as far as that is known. */
static bool matters(const struct search *search, const double score[2])
{
	return search->incumbents.count < search->top ||
	       score_compare(score, search->incumbents.items[search->top - 1].score) < 0;
}

/* Whether its bounds allow that it matters, and with what score. */
static bool may_matter(const struct ascent *ascent, const struct candidate *candidate,
		       const struct bound *bound, double score[2])
{
	const struct search *search = ascent->search;

	bound_score(search, candidate, bound, score);
	if (bound_too_large(search, bound))
		return false;
	if (ascent->front)
		return !search_off_front(search, bound->time, bound->capacity - bound->memory);
	return matters(search, score);
}

/* Whether its plan stands, and closer bounds, `closer`, allow that it matters. */
static bool is_worth(struct ascent *ascent, uint64_t number, double score[2], struct bound *closer)
{
	struct search *search = ascent->search;
	const struct candidate candidate = space_candidate(&search->space, number);
	struct bound bound;
	struct trial trial;
	bool worth;

	if (ascent->plans == PLANS || search_must_stop(search) || refusals_of(search, &candidate))
		return false;
	bound = bound_of(&search->bounds, &search->space, &candidate);
	if (!may_matter(ascent, &candidate, &bound, score))
		return false;
	ascent->plans++;
	trial_init(&trial, &search->space, &search->aim, &search->bounds.borne);
	worth = trial_begin(&trial, &candidate, number, &bound) &&
		may_matter(ascent, &candidate, &bound, score);
	refusals_learn(search, &candidate, &trial.outcome);
	trial_release(&trial);
	*closer = bound;
	return worth;
}

/* How much less than a bound is borne out where one is found to be above a forecast. */
#define CAUTION 0.95

/* `made_with`: the shares that the bound was made with. */
static void hold_against(struct borne *borne, const struct borne *made_with,
			 const struct bound *bound, const struct outcome *outcome)
{
	if (outcome->time < bound->time)
		borne->time =
			fmin(borne->time, CAUTION * made_with->time * outcome->time / bound->time);
	if (outcome->memory < bound->memory)
		borne->memory = fmin(borne->memory,
				     CAUTION * made_with->memory * outcome->memory / bound->memory);
	if (outcome->need < bound->need)
		borne->memory = fmin(borne->memory,
				     CAUTION * made_with->memory * outcome->need / bound->need);
}

/*
 * Holds its bounds against its forecast. Where all are (search.exhaustive) they stay as they are:
 * one that is above ends the program there. `closer`: of its plan; or NULL.
 */
static void hold_bounds(struct search *search, const struct outcome *outcome,
			const struct bound *closer)
{
	const struct candidate candidate = space_candidate(&search->space, outcome->number);
	struct borne *borne = &search->bounds.borne;
	const struct borne made_with = *borne;
	struct bound bound;

	if (!(outcome->time > 0) || outcome->fate == OUTCOME_REFUSED || search->exhaustive)
		return;
	bound = bound_of(&search->bounds, &search->space, &candidate);
	hold_against(borne, &made_with, &bound, outcome);
	if (closer)
		hold_against(borne, &made_with, closer, outcome);
}

/* If it runs, it is an incumbent. */
static void forecast(struct ascent *ascent, uint64_t number, const struct bound *closer)
{
	struct search *search = ascent->search;
	struct outcome outcome;

	if (holds(ascent->seen.items, ascent->seen.count, number) || ascent->effort == EFFORT ||
	    search_must_stop(search))
		return;
	vec_push(search->arena, &ascent->seen, number);
	ascent->effort++;
	outcome = outcome_of(&search->space, &search->aim, number);
	hold_bounds(search, &outcome, closer);
	if (outcome.fate == OUTCOME_RUNS)
		insert(search, &outcome);
}

static int by_bound(const void *a, const void *b)
{
	const struct promise *one = a, *other = b;
	const int order = score_compare(one->score, other->score);

	if (order)
		return order;
	return one->number < other->number ? -1 : one->number > other->number;
}

/* Of so many promises each the first whose plan stands, forecast in the order of what they promise.
 */
static void keep_some(struct ascent *ascent, const struct promises *promises, size_t count,
		      int effort)
{
	struct search *search = ascent->search;
	size_t i;
	int k;

	ascent->kept.count = 0;
	for (i = 0; i < count; i++)
		for (k = 0; k < promises[i].count; k++) {
			struct promise kept = promises[i].best[k];
			if (!is_worth(ascent, kept.number, kept.score, &kept.closer))
				continue;
			vec_push(search->arena, &ascent->kept, kept);
			break;
		}
	if (ascent->kept.count)
		qsort(ascent->kept.items, ascent->kept.count, sizeof(*ascent->kept.items),
		      by_bound);
	for (i = 0; i < ascent->kept.count && ascent->effort < effort; i++)
		if (matters(search, ascent->kept.items[i].score))
			forecast(ascent, ascent->kept.items[i].number,
				 &ascent->kept.items[i].closer);
}

/*
 * The best first, some at a time, until some run from which to climb: that finds in few steps what
 * bounds alone do not tell from others.
 */
static void keep_promises(struct ascent *ascent, struct promise_list *promises, int effort)
{
	const size_t count = promises->list.count;
	size_t i;

	ascent->plans = 0;
	if (count)
		qsort(promises->list.items, count, sizeof(*promises->list.items), by_promise);
	for (i = 0; i < count; i += TOGETHER) {
		if (ascent->plans >= ENOUGH &&
		    ascent->search->incumbents.count >= ascent->search->top)
			return;
		keep_some(ascent, &promises->list.items[i],
			  count - i < TOGETHER ? count - i : TOGETHER, effort);
	}
}

/* Promises that were not looked at yet, where fewer run than are asked for. */
static void fill_up(struct ascent *ascent, const struct promise_list *promises)
{
	size_t i;
	int k;

	for (k = 0; k < PROMISES; k++)
		for (i = 0; i < promises->list.count; i++)
			if (k < promises->list.items[i].count &&
			    ascent->search->incumbents.count < ascent->search->top)
				forecast(ascent, promises->list.items[i].best[k].number, NULL);
}

/* What is one step on one axis from an incumbent. */
static void expand(struct ascent *ascent, uint64_t number)
{
	struct search *search = ascent->search;
	const struct candidate from = space_candidate(&search->space, number);
	struct steps steps = { 0 };
	struct arena scratch;
	struct bound closer;
	double score[2];
	size_t i;

	vec_push(search->arena, &ascent->done, number);
	arena_init(&scratch);
	steps_from(&search->space, &from, &scratch, &steps);
	for (i = 0; i < steps.list.count; i++)
		if (is_worth(ascent, steps.list.items[i].number, score, &closer))
			forecast(ascent, steps.list.items[i].number, &closer);
	arena_release(&scratch);
}

/* Whether a better one cuts the model alike. */
static bool is_second(const struct search *search, size_t incumbent)
{
	const struct outcome *items = search->incumbents.items;
	const struct candidate second = space_candidate(&search->space, items[incumbent].number);
	size_t i;

	for (i = 0; i < incumbent; i++) {
		const struct candidate first = space_candidate(&search->space, items[i].number);
		if (same_until(&first, &second, AXIS_SEQUENCE))
			return true;
	}
	return false;
}

/*
 * From the best incumbents to what is next to them, until none is better: from all, or from the
 * best of each way to cut the model (`apart`).
 */
static void climb(struct ascent *ascent, bool apart)
{
	const struct search *search = ascent->search;
	int looked_at = 0;
	size_t i;

	ascent->plans = 0;
	for (i = 0; i < search->incumbents.count && looked_at < EXPANDED &&
		    ascent->effort < EFFORT * 2 / 3;
	     i++) {
		const uint64_t number = search->incumbents.items[i].number;
		if (apart && is_second(search, i))
			continue;
		looked_at++;
		if (holds(ascent->done.items, ascent->done.count, number))
			continue;
		expand(ascent, number);
		looked_at = 0;
		i = (size_t)-1;
	}
}

static bool stands(void *context, size_t outcome)
{
	(void)context;
	(void)outcome;
	return true;
}

/* The incumbents on the front, of those that are proven. */
static void put_ahead(struct search *search, bool (*proven)(void *context, size_t outcome))
{
	const bool *front = front_of(search->arena, search->incumbents.items,
				     search->incumbents.count, proven, search);
	size_t i;

	search->ahead.count = 0;
	search->fastest = HUGE_VAL;
	for (i = 0; i < search->incumbents.count; i++) {
		search->fastest = fmin(search->fastest, search->incumbents.items[i].time);
		if (front[i])
			vec_push(search->arena, &search->ahead, search->incumbents.items[i]);
	}
}

/* The same along the front: from each that is on it to what is next to it. */
static void climb_front(struct ascent *ascent)
{
	struct search *search = ascent->search;
	size_t i;

	ascent->front = true;
	ascent->done.count = 0;
	ascent->plans = 0;
	put_ahead(search, stands);
	for (i = 0; i < search->ahead.count && ascent->effort < EFFORT;) {
		const uint64_t number = search->ahead.items[i].number;
		if (holds(ascent->done.items, ascent->done.count, number)) {
			i++;
			continue;
		}
		expand(ascent, number);
		put_ahead(search, stands);
		i = 0;
	}
	ascent->front = false;
}

/* Where what promises to be fast does not fit: from what needs least memory. */
static void climb_from_roomy(struct ascent *ascent)
{
	struct search *search = ascent->search;
	uint64_t numbers[EFFORT / 2];
	const size_t count = nearest_roomy(search, numbers, EFFORT / 2);
	size_t i;

	ascent->effort = 0;
	for (i = 0; i < count && search->incumbents.count < search->top; i++)
		forecast(ascent, numbers[i], NULL);
	climb(ascent, true);
	climb(ascent, false);
	climb_front(ascent);
}

static void find_incumbents(struct search *search)
{
	struct ascent ascent = { .search = search };
	struct all_promises all = { 0 };

	refusals_learn_values(search);
	find_promises(search, &all);
	keep_promises(&ascent, &all.wide, EFFORT / 4);
	keep_promises(&ascent, &all.near, EFFORT / 2);
	climb(&ascent, true);
	climb(&ascent, false);
	climb_front(&ascent);
	fill_up(&ascent, &all.wide);
	if (search->incumbents.count < search->top)
		climb_from_roomy(&ascent);
}

/* ---- what they prove ---- */

/* Those that are proposed must be there as files, too. */
static bool is_written(void *context, size_t incumbent)
{
	struct search *search = context;
	struct written written;
	struct arena arena;

	arena_init(&arena);
	written_make(&written, &search->space, &search->aim, search->own,
		     &search->incumbents.items[incumbent], &arena);
	arena_release(&arena);
	return written.passes;
}

/* Of the best so many that are; the others are there for the front. */
static void prove_incumbents(struct search *search)
{
	size_t i, kept = 0;

	for (i = 0; i < search->incumbents.count; i++)
		if (kept >= search->top || search_must_stop(search) || is_written(search, i))
			search->incumbents.items[kept++] = search->incumbents.items[i];
	search->incumbents.count = kept;
}

bool search_compares(const struct search *search)
{
	size_t i;

	for (i = 0; i < search->space.sites.count; i++)
		if (search->space.sites.items[i]->world == search->yours->world)
			return true;
	return search->aim.objective != OBJECTIVE_TIME;
}

/* Candidates of a space in which the place of any config is worth counting those before it. */
enum { COUNTED = 20000 };

/* Whether the place of the config as it is is sought: not among millions. */
static bool is_placed(const struct search *search)
{
	const struct outcome *current = &search->current;

	if (!search_compares(search) || search->excluded.count || current->fate != OUTCOME_RUNS)
		return false;
	return space_count(&search->space) <= COUNTED ||
	       current->score[0] <= FRONT_SLOWEST * search->incumbents.items[0].score[0];
}

/* The score up to which everything is to be known. */
static void find_worst(struct search *search)
{
	const size_t count = search->incumbents.count;
	const struct outcome *items = search->incumbents.items;
	size_t i;

	search->worst[0] = search->worst[1] = search->fastest = HUGE_VAL;
	search->counted[0] = search->counted[1] = HUGE_VAL;
	for (i = 0; i < count; i++)
		search->fastest = fmin(search->fastest, items[i].time);
	if (count < search->top || !count)
		return;
	search->worst[0] = items[search->top - 1].score[0];
	search->worst[1] = items[search->top - 1].score[1];
	search->worst[0] = fmax(search->worst[0], items[0].score[0] * (1 + search->within));
	search->worst[1] = fmax(search->worst[1], items[0].score[1] * (1 + search->within));
	memcpy(search->counted, search->worst, sizeof(search->counted));
	if (is_placed(search) && score_compare(search->current.score, search->worst) > 0)
		memcpy(search->counted, search->current.score, sizeof(search->counted));
}

void search_prepare(struct search *search)
{
	bounds_prepare(&search->bounds, &search->space, &search->aim);
	find_incumbents(search);
	if (search->incumbents.count)
		qsort(search->incumbents.items, search->incumbents.count,
		      sizeof(*search->incumbents.items), by_score);
	prove_incumbents(search);
	put_ahead(search, is_written);
	find_worst(search);
}
