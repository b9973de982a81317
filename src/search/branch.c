#include "search/search.h"

#include "base/die.h"
#include "search/written.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tally_cut(struct tally *tally, struct arena *arena, struct cut cut)
{
	size_t i;

	for (i = 0; i < tally->cuts.count; i++)
		if (tally->cuts.items[i].why == cut.why && tally->cuts.items[i].rule == cut.rule) {
			tally->cuts.items[i].count += cut.count;
			return;
		}
	vec_push(arena, &tally->cuts, cut);
}

static int by_score(const void *a, const void *b)
{
	return outcome_compare(a, b);
}

static int score_compare(const double a[2], const double b[2])
{
	if (a[0] < b[0] || a[0] > b[0])
		return a[0] < b[0] ? -1 : 1;
	return a[1] < b[1] ? -1 : a[1] > b[1];
}

/* ---- incumbents ---- */

/* The candidates of one choice of pp, tp and cp that promise most. */
enum { PROMISES = 6 };

struct promises {
	struct candidate degrees; /* of the first */
	struct {
		double score[2];
		uint64_t number;
	} best[PROMISES];
	int count;
};

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

static bool too_large(const struct search *search, const struct bound *bound)
{
	return bound->risk > search->aim.risk;
}

static void score_bound(const struct search *search, const struct candidate *candidate,
			const struct bound *bound, double score[2])
{
	const struct site *site = search->space.sites.items[candidate->at[AXIS_SITE]];

	outcome_score(&search->aim, bound->time, site, score);
}

static void take_promises(const struct search *search, size_t layout, struct promises *promises)
{
	const struct space *space = &search->space;
	uint64_t number;

	for (number = space->first.items[layout]; number < space->first.items[layout + 1];
	     number++) {
		const struct candidate candidate = space_candidate(space, number);
		const struct bound bound = bound_of(&search->bounds, space, &candidate);
		double score[2];
		if (too_large(search, &bound))
			continue;
		score_bound(search, &candidate, &bound, score);
		promise(promises, score, number);
	}
}

/* The first of them that runs. */
static void keep_promise(struct search *search, const struct promises *promises)
{
	int i;

	for (i = 0; i < promises->count; i++) {
		struct outcome outcome =
			outcome_of(&search->space, &search->aim, promises->best[i].number);
		if (outcome.fate != OUTCOME_RUNS)
			continue;
		vec_push(search->arena, &search->incumbents, outcome);
		return;
	}
}

static bool same_degrees(const struct candidate *a, const struct candidate *b)
{
	enum axis axis;

	for (axis = AXIS_SITE; axis <= AXIS_CP; axis++)
		if (a->at[axis] != b->at[axis])
			return false;
	return true;
}

static void find_incumbents(struct search *search)
{
	const struct space *space = &search->space;
	struct promises promises = { 0 };
	size_t i;

	for (i = 0; i < space->layouts.count; i++) {
		if (i && !same_degrees(&promises.degrees, &space->layouts.items[i])) {
			keep_promise(search, &promises);
			promises.count = 0;
		}
		promises.degrees = space->layouts.items[i];
		take_promises(search, i, &promises);
	}
	keep_promise(search, &promises);
}

/* Those that are proposed must be there as files, too: of the best so many that are. */
static void prove_incumbents(struct search *search)
{
	size_t i, kept = 0;

	for (i = 0; i < search->incumbents.count; i++) {
		struct outcome *outcome = &search->incumbents.items[i];
		struct written written = { .passes = true };
		struct arena arena;
		arena_init(&arena);
		if (kept < search->top)
			written_make(&written, &search->space, &search->aim, search->own, outcome,
				     &arena);
		if (written.passes)
			search->incumbents.items[kept++] = *outcome;
		arena_release(&arena);
	}
	search->incumbents.count = kept;
}

/* The score up to which everything is to be known. */
static void find_worst(struct search *search)
{
	const size_t count = search->incumbents.count;
	const struct outcome *items = search->incumbents.items, *current = &search->current;
	size_t i;

	search->worst[0] = search->worst[1] = search->fastest = HUGE_VAL;
	for (i = 0; i < count; i++)
		search->fastest = fmin(search->fastest, items[i].time);
	if (count < search->top || !count)
		return;
	search->worst[0] = items[search->top - 1].score[0];
	search->worst[1] = items[search->top - 1].score[1];
	search->worst[0] = fmax(search->worst[0], items[0].score[0] * (1 + search->within));
	search->worst[1] = fmax(search->worst[1], items[0].score[1] * (1 + search->within));
	/* The place of a config on other machines is worth no search. */
	if (search->own->world != search->space.sites.items[0]->world)
		return;
	if (current->fate == OUTCOME_RUNS && score_compare(current->score, search->worst) > 0) {
		search->worst[0] = current->score[0];
		search->worst[1] = current->score[1];
	}
}

void search_prepare(struct search *search)
{
	bounds_prepare(&search->bounds, &search->space, &search->aim);
	find_incumbents(search);
	if (search->incumbents.count)
		qsort(search->incumbents.items, search->incumbents.count,
		      sizeof(*search->incumbents.items), by_score);
	prove_incumbents(search);
	find_worst(search);
}

bool search_knows(const struct search *search, const struct outcome *outcome)
{
	return score_compare(outcome->score, search->worst) <= 0;
}

/* ---- decisions ---- */

/* An incumbent is no slower and leaves no less memory: it is not on the front. */
static bool dominated(const struct search *search, const struct bound *bound)
{
	size_t i;

	for (i = 0; i < search->incumbents.count; i++) {
		const struct outcome *incumbent = &search->incumbents.items[i];
		if (incumbent->time <= bound->time &&
		    incumbent->capacity - incumbent->memory >= bound->capacity - bound->memory)
			return true;
	}
	return false;
}

/* Whether bounds cut the candidate, and why. */
static bool bounded(const struct search *search, const struct candidate *candidate,
		    const struct bound *bound, struct cut *cut)
{
	double score[2];

	if (too_large(search, bound)) {
		cut->why = CUT_MEMORY_BOUND;
		return true;
	}
	score_bound(search, candidate, bound, score);
	cut->why = CUT_BOUND;
	if (score_compare(score, search->worst) <= 0)
		return false;
	return bound->time > FRONT_SLOWEST * search->fastest || dominated(search, bound);
}

/* The simulator says no less than the bounds. */
static void hold(const struct bound *bound, const struct outcome *outcome)
{
	if (outcome->time > 0 && (outcome->time < bound->time || outcome->memory < bound->memory))
		bug("bounds of candidate %llu are above what is simulated: %g s over %g, %g bytes "
		    "over %g",
		    (unsigned long long)outcome->number, bound->time, outcome->time, bound->memory,
		    outcome->memory);
}

/* Takes note of what became of so many candidates. */
static void take(struct search *search, const struct outcome *outcome, uint64_t count)
{
	static const int whys[] = { [OUTCOME_REFUSED] = CUT_RULE,
				    [OUTCOME_MEMORY] = CUT_MEMORY,
				    [OUTCOME_SLOW] = CUT_SLOW };
	struct cut cut = { .rule = outcome->rule, .count = count };

	search->tally.simulated += outcome->time > 0;
	if (outcome->fate == OUTCOME_RUNS) {
		vec_push(search->arena, &search->runs, *outcome);
		return;
	}
	cut.why = whys[outcome->fate];
	if (cut.why == CUT_RULE && !cut.rule)
		cut.why = CUT_UNFORECAST;
	tally_cut(&search->tally, search->arena, cut);
}

/*
 * Decides a candidate, and with it those up to `end` where what it is refused for holds for all of
 * its layout; returns the next one.
 */
static uint64_t decide(struct search *search, uint64_t number, uint64_t end)
{
	const struct candidate candidate = space_candidate(&search->space, number);
	const struct bound bound = bound_of(&search->bounds, &search->space, &candidate);
	struct cut cut = { .count = 1 };
	struct outcome outcome;

	if (!search->exhaustive && bounded(search, &candidate, &bound, &cut)) {
		tally_cut(&search->tally, search->arena, cut);
		return number + 1;
	}
	outcome = outcome_of(&search->space, &search->aim, number);
	hold(&bound, &outcome);
	take(search, &outcome, outcome.layout && !search->exhaustive ? end - number : 1);
	return outcome.layout && !search->exhaustive ? end : number + 1;
}

void search_layout(struct search *search, size_t layout)
{
	const uint64_t end = search->space.first.items[layout + 1];
	uint64_t number;

	for (number = search->space.first.items[layout]; number < end;)
		number = decide(search, number, end);
	search->tally.decided += end - search->space.first.items[layout];
	search->layouts++;
}

static int by_reason(const void *a, const void *b)
{
	const struct cut *one = a, *other = b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	if (one->why != other->why)
		return one->why < other->why ? -1 : 1;
	return one->rule ? strcmp(one->rule->code, other->rule->code) : 0;
}

void search_finish(struct search *search)
{
	if (search->runs.count)
		qsort(search->runs.items, search->runs.count, sizeof(*search->runs.items),
		      by_score);
	if (search->tally.cuts.count)
		qsort(search->tally.cuts.items, search->tally.cuts.count,
		      sizeof(*search->tally.cuts.items), by_reason);
}
