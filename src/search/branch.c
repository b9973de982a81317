#include "search/refusals.h"

#include "base/die.h"
#include "search/candidate.h"
#include "search/trial.h"

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

int score_compare(const double a[2], const double b[2])
{
	if (a[0] < b[0] || a[0] > b[0])
		return a[0] < b[0] ? -1 : 1;
	return a[1] < b[1] ? -1 : a[1] > b[1];
}

bool bound_too_large(const struct search *search, const struct bound *bound)
{
	return bound->risk > search->aim.risk;
}

void bound_score(const struct search *search, const struct candidate *candidate,
		 const struct bound *bound, double score[2])
{
	const struct site *site = search->space.sites.items[candidate->at[AXIS_SITE]];

	outcome_score(&search->aim, bound->time, site, score);
}

bool search_knows(const struct search *search, const struct outcome *outcome)
{
	return score_compare(outcome->score, search->worst) <= 0;
}

/* ---- decisions ---- */

/* What decides the candidates of one region, in order. */
struct decider {
	struct search *search;
	struct layout_bounds bounds; /* of the layout */
	struct trial trial;
	bool refused; /* the framework refuses the rest of the region */
	struct cut refusal;
};

/* An incumbent is faster or leaves more memory, and is no worse in the other. */
static bool dominated(const struct search *search, double time, double free)
{
	size_t i;

	for (i = 0; i < search->ahead.count; i++) {
		const struct outcome *ahead = &search->ahead.items[i];
		const double left = ahead->capacity - ahead->memory;
		if (ahead->time <= time && left >= free && (ahead->time < time || left > free))
			return true;
	}
	return false;
}

bool search_off_front(const struct search *search, double time, double free)
{
	return time > FRONT_SLOWEST * search->fastest || dominated(search, time, free);
}

/* Whether bounds cut the candidate, and why. */
static bool bounded(const struct search *search, const struct candidate *candidate,
		    const struct bound *bound, struct cut *cut)
{
	double score[2];

	if (bound_too_large(search, bound)) {
		cut->why = CUT_MEMORY_BOUND;
		return true;
	}
	bound_score(search, candidate, bound, score);
	cut->why = CUT_BOUND;
	return score_compare(score, search->counted) > 0 &&
	       search_off_front(search, bound->time, bound->capacity - bound->memory);
}

/* Whether one that would run is neither among the results nor on the front. */
static bool is_worse(const struct search *search, const struct outcome *outcome)
{
	return score_compare(outcome->score, search->worst) > 0 &&
	       search_off_front(search, outcome->time, outcome->capacity - outcome->memory);
}

/* The simulator says no less than the bounds. */
static void hold(const struct search *search, const struct bound *bound,
		 const struct outcome *outcome)
{
	struct candidate candidate;

	if (!(outcome->time > 0) ||
	    (outcome->time >= bound->time && outcome->memory >= bound->memory &&
	     outcome->need >= bound->need))
		return;
	candidate = space_candidate(&search->space, outcome->number);
	bug("bounds of %s are above what is simulated: %g s over %g, %g bytes over %g, %g "
	    "over %g that must fit",
	    candidate_text(&search->space, &candidate, search->arena), bound->time, outcome->time,
	    bound->memory, outcome->memory, bound->need, outcome->need);
}

/* Takes note of what became of so many candidates. */
static void take(struct search *search, const struct outcome *outcome, uint64_t count)
{
	static const int whys[] = { [OUTCOME_REFUSED] = CUT_RULE,
				    [OUTCOME_MEMORY] = CUT_MEMORY,
				    [OUTCOME_SLOW] = CUT_SLOW };
	struct cut cut = { .rule = outcome->rule, .count = count };

	if (outcome->fate == OUTCOME_RUNS) {
		vec_push(search->arena, &search->runs, *outcome);
		return;
	}
	cut.why = whys[outcome->fate];
	if (cut.why == CUT_RULE && !cut.rule)
		cut.why = CUT_UNFORECAST;
	tally_cut(&search->tally, search->arena, cut);
}

static struct bound leaf_bound(struct decider *decider, const struct candidate *candidate)
{
	return bounds_at(&decider->bounds, candidate->at[AXIS_MICRO],
			 candidate->at[AXIS_RECOMPUTE]);
}

/*
 * A candidate derived without its layout's plan, as check and sim would. The plan that another
 * candidate was made for may hide what the framework raises of this one, but adds nothing.
 */
static struct outcome alone(const struct search *search, const struct outcome *tried)
{
	const struct outcome outcome = outcome_of(&search->space, &search->aim, tried->number);

	if (outcome.time > 0 && tried->time > 0 &&
	    (outcome.time < tried->time || outcome.time > tried->time ||
	     outcome.memory < tried->memory || outcome.memory > tried->memory))
		bug("candidate %llu is %g s and %g bytes on its layout's plan, not %g and %g",
		    (unsigned long long)tried->number, tried->time, tried->memory, outcome.time,
		    outcome.memory);
	if (tried->fate != OUTCOME_RUNS && outcome.fate == OUTCOME_RUNS)
		bug("candidate %llu runs, against rule %s of its layout",
		    (unsigned long long)tried->number, tried->rule ? tried->rule->name : "none");
	return outcome;
}

/* A candidate by its layout's plan, with bounds held against its forecast, if it may be so. */
static struct outcome try_wholly(struct decider *decider, const struct candidate *candidate,
				 uint64_t number)
{
	struct trial *trial = &decider->trial;
	const struct bound bound = leaf_bound(decider, candidate);
	struct bound closer = bound;
	bool allowed;

	if (!trial_begin(trial, candidate, number, &closer))
		return trial->outcome;
	allowed = trial_allowed(trial);
	trial->outcome = (struct outcome) { .fate = OUTCOME_RUNS, .number = number };
	if (trial_forecast(trial).fate == OUTCOME_RUNS)
		trial_judge(trial);
	if (allowed && trial->outcome.fate != OUTCOME_REFUSED) {
		hold(decider->search, &bound, &trial->outcome);
		hold(decider->search, &closer, &trial->outcome);
	}
	if (!allowed && trial->outcome.fate == OUTCOME_RUNS)
		bug("candidate %llu runs, against a rule that needs no forecast",
		    (unsigned long long)number);
	return trial->outcome;
}

/*
 * Nothing is cut: each candidate is forecast. Those that run, and one more of each layout (`once`),
 * are derived alone as well.
 */
static uint64_t decide_wholly(struct decider *decider, const struct candidate *candidate,
			      uint64_t number, bool once)
{
	struct search *search = decider->search;
	const struct refused *refusal = refusals_of(search, candidate);
	struct outcome outcome = try_wholly(decider, candidate, number);

	if (once || outcome.fate == OUTCOME_RUNS)
		outcome = alone(search, &outcome);
	if (refusal && outcome.fate == OUTCOME_RUNS)
		bug("candidate %llu runs, against rule %s of its degrees",
		    (unsigned long long)number, refusal->rule->name);
	search->tally.simulated += outcome.time > 0;
	take(search, &outcome, 1);
	return 1;
}

/* Whether a candidate is cut by bounds that need no plan, or closer ones that do. */
static bool is_cut(struct decider *decider, const struct candidate *candidate, uint64_t number,
		   struct cut *cut)
{
	const struct search *search = decider->search;
	struct bound bound = leaf_bound(decider, candidate);

	if (bounded(search, candidate, &bound, cut))
		return true;
	return trial_begin(&decider->trial, candidate, number, &bound) &&
	       bounded(search, candidate, &bound, cut);
}

/*
 * What becomes of a candidate that no bound cuts: one that runs is judged with its layout's plan,
 * or derived alone where its schedule wants another number of microbatches than it has. Whatever is
 * shown of them is read back from its config first (written.h).
 */
static struct outcome look_at(struct decider *decider, struct cut *cut)
{
	struct search *search = decider->search;
	struct outcome outcome = decider->trial.outcome;

	if (outcome.fate != OUTCOME_RUNS || !trial_allowed(&decider->trial))
		return decider->trial.outcome;
	outcome = trial_forecast(&decider->trial);
	search->tally.simulated++;
	if (outcome.fate == OUTCOME_RUNS && is_worse(search, &outcome) &&
	    score_compare(outcome.score, search->counted) > 0)
		cut->count = 1;
	else if (outcome.fate == OUTCOME_RUNS)
		trial_judge(&decider->trial);
	if (decider->trial.latest_forecast->work.refused &&
	    decider->trial.outcome.fate == OUTCOME_RUNS)
		return outcome_of(&search->space, &search->aim, outcome.number);
	return decider->trial.outcome;
}

/* Decides one of several candidates of a layout, or all for which that holds as well. */
static uint64_t decide(struct decider *decider, const struct candidate *candidate, uint64_t number,
		       uint64_t end)
{
	struct search *search = decider->search;
	struct cut cut = { .count = 1 };
	struct outcome outcome;
	uint64_t count;

	if (is_cut(decider, candidate, number, &cut)) {
		tally_cut(&search->tally, search->arena, cut);
		return 1;
	}
	cut = (struct cut) { .why = CUT_WORSE };
	outcome = look_at(decider, &cut);
	if (cut.count) {
		tally_cut(&search->tally, search->arena, cut);
		return 1;
	}
	count = outcome.scope == SCOPE_CANDIDATE ? 1 : end - number;
	take(search, &outcome, count);
	decider->refused = outcome.scope == SCOPE_REGION;
	decider->refusal = (struct cut) { .why = outcome.rule ? CUT_RULE : CUT_UNFORECAST,
					  .rule = outcome.rule };
	return count;
}

static void decide_layout(struct decider *decider, size_t layout, const struct leaves *leaves)
{
	const struct space *space = &decider->search->space;
	const uint64_t first = space->first.items[layout], end = space->first.items[layout + 1];
	const size_t ways = leaves->recompute.list.count;
	struct candidate candidate = space->layouts.items[layout];
	uint64_t number = first;

	bounds_begin(&decider->bounds, &decider->search->bounds, space, &candidate);
	trial_init(&decider->trial, space, &decider->search->aim, &decider->search->bounds.borne);
	while (number < end) {
		candidate.at[AXIS_MICRO] = leaves->micro.list.items[(number - first) / ways];
		candidate.at[AXIS_RECOMPUTE] =
			leaves->recompute.list.items[(number - first) % ways];
		if (decider->search->exhaustive)
			number += decide_wholly(decider, &candidate, number,
						number == first + layout % (end - first));
		else
			number += decide(decider, &candidate, number, end);
	}
	trial_release(&decider->trial);
}

static void cut_rest(struct decider *decider, size_t from, size_t end)
{
	const struct space *space = &decider->search->space;

	decider->refusal.count = space->first.items[end] - space->first.items[from];
	if (decider->refusal.count)
		tally_cut(&decider->search->tally, decider->search->arena, decider->refusal);
}

void search_region(struct search *search, size_t index)
{
	const struct space *space = &search->space;
	const struct region region = space->regions.items[index];
	const struct refused *refusal = refusals_of(search, &space->layouts.items[region.first]);
	struct decider decider = { .search = search, .refused = refusal && !search->exhaustive };
	struct leaves leaves = { 0 };
	struct arena scratch;
	size_t layout;

	if (refusal)
		decider.refusal = (struct cut) { .why = CUT_RULE, .rule = refusal->rule };
	arena_init(&scratch);
	for (layout = region.first; layout < region.end && !decider.refused; layout++) {
		space_leaves(space, &space->layouts.items[layout], &scratch, &leaves);
		decide_layout(&decider, layout, &leaves);
	}
	arena_release(&scratch);
	cut_rest(&decider, layout, region.end);
	search->tally.decided += space->first.items[region.end] - space->first.items[region.first];
	search->layouts += region.end - region.first;
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
