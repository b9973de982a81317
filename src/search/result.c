#include "search/result.h"

#include "cost/profile.h"
#include "search/candidate.h"
#include "search/nearest.h"
#include "search/steps.h"

#include <inttypes.h>

/* A layout that runs by the rules but cannot be written so that it does. */
static void drop(struct search *search, const struct written *written)
{
	struct cut cut = { .why = written->rule ? CUT_RULE : CUT_UNWRITTEN,
			   .rule = written->rule,
			   .count = 1 };

	tally_cut(&search->tally, search->arena, cut);
}

/* What has become of the outcomes, by their places in search->runs. */
struct proofs {
	struct search *search;
	size_t dropped;
	struct proof {
		bool made;
		struct written written;
	} * items;
};

/* Written first in memory that is given back: there may be thousands that do not pass. */
static bool is_sayable(struct search *search, const struct outcome *outcome)
{
	struct written written;
	struct arena arena;

	arena_init(&arena);
	written_make(&written, &search->space, &search->aim, search->own, outcome, &arena);
	if (!written.passes)
		drop(search, &written);
	arena_release(&arena);
	return written.passes;
}

static bool passes(void *context, size_t run)
{
	struct proofs *proofs = context;
	struct proof *proof = &proofs->items[run];
	struct search *search = proofs->search;

	if (!proof->made) {
		proof->made = true;
		if (!is_sayable(search, &search->runs.items[run]))
			proofs->dropped++;
		else
			written_make(&proof->written, &search->space, &search->aim, search->own,
				     &search->runs.items[run], search->arena);
	}
	return proof->written.passes;
}

/* The share within which two forecasts of jobs that differ in little say nothing. */
static double doubt(const struct search *search)
{
	return search->bounds.sites && search->bounds.sites[0].known
		       ? profile_get(&search->bounds.sites[0].profile, FIGURE_DOUBT_RATIO)
		       : 0;
}

static bool is_wanted(const struct search *search, const struct result *result,
		      const struct outcome *outcome, size_t wanted)
{
	const struct proposal *best = result->proposals.items;

	if (!result->proposals.count)
		return true;
	if (search->within > 0)
		return outcome->score[0] <= best->outcome.score[0] * (1 + search->within);
	return wanted < search->top;
}

static size_t axes_of(const struct space *space, const struct proposal *proposal)
{
	const struct candidate candidate = space_candidate(space, proposal->outcome.number);

	return candidate_axes(space, &candidate);
}

static void find_simplest(struct result *result, const struct space *space)
{
	const struct proposal *items = result->proposals.items;
	size_t i;

	for (i = 0; i < result->proposals.count; i++) {
		result->same += items[i].same;
		if (items[i].same &&
		    axes_of(space, &items[i]) < axes_of(space, &items[result->simplest]))
			result->simplest = i;
	}
}

static void propose(struct result *result, struct search *search, struct proofs *proofs)
{
	const bool *front =
		front_of(search->arena, search->runs.items, search->runs.count, passes, proofs);
	size_t i, wanted = 0, failed = 0;

	for (i = 0; i < search->runs.count; i++) {
		const struct outcome *outcome = &search->runs.items[i];
		struct proposal proposal = { .outcome = *outcome };
		proposal.top = is_wanted(search, result, outcome, wanted);
		if (proposal.top && !passes(proofs, i)) {
			failed++;
			continue;
		}
		proposal.front = front[i];
		if (!proposal.top && !proposal.front)
			continue;
		wanted += proposal.top;
		proposal.written = proofs->items[i].written;
		written_shorten(&proposal.written, &search->space, &search->aim, search->own,
				outcome, result->arena);
		proposal.position = search_knows(search, outcome) ? i + 1 - failed : 0;
		vec_push(result->arena, &result->proposals, proposal);
	}
	for (i = 0; i < result->proposals.count; i++)
		result->proposals.items[i].same =
			result->proposals.items[i].outcome.score[0] <=
			result->proposals.items[0].outcome.score[0] * (1 + doubt(search));
	find_simplest(result, &search->space);
}

/* ---- neighbours ---- */

/* Whether it runs, is better than the best, and is not the same when it is written. */
static bool is_unsaid(const struct search *search, const struct outcome *outcome,
		      const struct outcome *best)
{
	struct written written;
	struct arena arena;

	if (outcome->fate != OUTCOME_RUNS || score_compare(outcome->score, best->score) >= 0)
		return false;
	arena_init(&arena);
	written_make(&written, &search->space, &search->aim, search->own, outcome, &arena);
	arena_release(&arena);
	return !written.passes;
}

static void find_neighbours(struct result *result, const struct search *search)
{
	const struct space *space = &search->space;
	const struct candidate best =
		space_candidate(space, result->proposals.items[0].outcome.number);
	struct steps steps = { 0 };
	size_t i;

	steps_from(space, &best, result->arena, &steps);
	for (i = 0; i < steps.list.count; i++) {
		const struct step_to *step = &steps.list.items[i];
		struct neighbour neighbour = { step->axis, step->value,
					       outcome_of(space, &search->aim, step->number),
					       false };
		neighbour.unsaid =
			is_unsaid(search, &neighbour.outcome, &result->proposals.items[0].outcome);
		vec_push(result->arena, &result->neighbours, neighbour);
	}
}

static bool is_dropped(const struct proofs *proofs, size_t run)
{
	return proofs->items[run].made && !proofs->items[run].written.passes;
}

static void place_current(struct result *result, const struct search *search,
			  const struct proofs *proofs)
{
	const struct outcome *current = &search->current;
	const bool known = score_compare(current->score, search->counted) <= 0;
	const double *known_to = known ? current->score : search->counted;
	size_t i;

	if (current->fate != OUTCOME_RUNS || !(current->time > 0) || !search_compares(search) ||
	    search->excluded.count)
		return;
	for (i = 0; i < search->runs.count; i++)
		result->ahead += !is_dropped(proofs, i) &&
				 score_compare(search->runs.items[i].score, known_to) < !known;
	if (known)
		result->current = result->ahead + 1;
}

void result_make(struct result *result, struct search *search)
{
	struct proofs proofs = { .search = search };

	result->arena = search->arena;
	result->decided = search->layouts == search->space.layouts.count;
	result->proven = result->decided && search->bounds.borne.time >= 1 &&
			 search->bounds.borne.memory >= 1;
	proofs.items = arena_array(search->arena, search->runs.count + 1, sizeof(*proofs.items));
	propose(result, search, &proofs);
	if (result->proposals.count)
		find_neighbours(result, search);
	else if (result->decided && !search->runs.count &&
		 !nearest_find(search, &result->nearest, &result->words))
		result->words = nearest_words(search);
	place_current(result, search, &proofs);
	result->runs = search->runs.count - proofs.dropped;
	search_finish(search); /* what was dropped stands among the cuts */
}

const char *result_doubt(const struct result *result)
{
	if (!result->decided)
		return "; not all were decided: this is not proven";
	return result->proven
		       ? ""
		       : "; a bound was above a forecast, which is an error of parplan: this is "
			 "not proven";
}

const char *result_value(const struct space *space, enum axis axis, int64_t value,
			 struct arena *arena)
{
	const struct choices *choices = axis == AXIS_ZERO	 ? &space->zero
					: axis == AXIS_TENSOR	 ? &space->tensor
					: axis == AXIS_SCHEDULE	 ? &space->schedule
					: axis == AXIS_RESHARD	 ? &space->reshard
					: axis == AXIS_RECOMPUTE ? &space->recompute
								 : NULL;

	if (choices && *choices->list.items[value].name)
		return choices->list.items[value].name;
	if (choices && choices->list.items[value].count)
		return variation_text(arena, &choices->list.items[value].said[0]);
	return arena_printf(arena, "%" PRId64, value);
}
