#include "search/result.h"

#include "cost/profile.h"
#include "search/front.h"

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
	struct proof {
		bool made;
		struct written written;
	} * items;
};

static bool passes(void *context, size_t run)
{
	struct proofs *proofs = context;
	struct proof *proof = &proofs->items[run];
	struct search *search = proofs->search;

	if (!proof->made) {
		written_make(&proof->written, &search->space, &search->aim, search->own,
			     &search->runs.items[run], search->arena);
		proof->made = true;
		if (!proof->written.passes)
			drop(search, &proof->written);
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
		proposal.position = search_knows(search, outcome) ? i + 1 - failed : 0;
		vec_push(result->arena, &result->proposals, proposal);
	}
	for (i = 0; i < result->proposals.count; i++)
		result->proposals.items[i].same =
			result->proposals.items[i].outcome.score[0] <=
			result->proposals.items[0].outcome.score[0] * (1 + doubt(search));
}

/* ---- neighbours ---- */

/* The value nearest below one that is not there any more; the first, where none is. */
static int64_t kept_value(const struct axis_values *values, int64_t value)
{
	int64_t kept = values->list.items[0];
	size_t i;

	for (i = 0; i < values->list.count; i++)
		if (values->list.items[i] <= value)
			kept = values->list.items[i];
	return kept;
}

/* What follows a changed axis stays as it is, as far as it can. False: there is no such layout. */
static bool settle(const struct space *space, struct candidate *candidate, enum axis changed,
		   struct arena *arena)
{
	enum axis axis;

	for (axis = changed + 1; axis < AXES; axis++) {
		struct axis_values values = { 0 };
		space_values(space, candidate, axis, arena, &values);
		if (!values.list.count)
			return false;
		candidate->at[axis] = kept_value(&values, candidate->at[axis]);
	}
	return true;
}

static void add_neighbour(struct result *result, const struct search *search,
			  struct candidate candidate, enum axis axis, int64_t value)
{
	struct neighbour neighbour = { .axis = axis, .value = value };
	uint64_t number;

	candidate.at[axis] = value;
	if (!settle(&search->space, &candidate, axis, result->arena) ||
	    !space_find(&search->space, &candidate, &number))
		return;
	neighbour.outcome = outcome_of(&search->space, &search->aim, number);
	vec_push(result->arena, &result->neighbours, neighbour);
}

static void find_neighbours(struct result *result, const struct search *search)
{
	const struct space *space = &search->space;
	const struct candidate best =
		space_candidate(space, result->proposals.items[0].outcome.number);
	enum axis axis;
	size_t i;

	for (axis = AXIS_PP; axis < AXES; axis++) {
		struct axis_values values = { 0 };
		space_values(space, &best, axis, result->arena, &values);
		for (i = 0; i < values.list.count; i++)
			if ((i + 1 < values.list.count &&
			     values.list.items[i + 1] == best.at[axis]) ||
			    (i && values.list.items[i - 1] == best.at[axis]))
				add_neighbour(result, search, best, axis, values.list.items[i]);
	}
}

static void place_current(struct result *result, const struct search *search)
{
	size_t i, better = 0;

	if (search->current.fate != OUTCOME_RUNS || !(search->current.time > 0) ||
	    !search_knows(search, &search->current))
		return;
	for (i = 0; i < search->runs.count; i++)
		better += search->runs.items[i].score[0] < search->current.score[0] ||
			  (search->runs.items[i].score[0] <= search->current.score[0] &&
			   search->runs.items[i].score[1] < search->current.score[1]);
	result->current = better + 1;
}

void result_make(struct result *result, struct search *search)
{
	struct proofs proofs = { search, NULL };

	result->arena = search->arena;
	result->proven = search->layouts == search->space.layouts.count;
	proofs.items = arena_array(search->arena, search->runs.count + 1, sizeof(*proofs.items));
	propose(result, search, &proofs);
	if (result->proposals.count)
		find_neighbours(result, search);
	place_current(result, search);
}

const char *result_value(const struct space *space, enum axis axis, int64_t value,
			 struct arena *arena)
{
	const struct choices *choices = axis == AXIS_ZERO	 ? &space->zero
					: axis == AXIS_SEQUENCE	 ? &space->sequence
					: axis == AXIS_SCHEDULE	 ? &space->schedule
					: axis == AXIS_RESHARD	 ? &space->reshard
					: axis == AXIS_RECOMPUTE ? &space->recompute
								 : NULL;

	if (choices)
		return choices->list.items[value].name;
	return arena_printf(arena, "%" PRId64, value);
}
