#include "search/nearest.h"

#include "search/refusals.h"

#include <string.h>

/* Bounds tell which are worth a forecast, of which some are made; rules may refuse the first. */
enum { GUESSES = 1024, FORECAST = 128 };

struct guess {
	uint64_t number;
	double far; /* bytes or seconds, at least */
};

struct looking {
	const struct search *search;
	bool slow; /* some fit: the fastest is looked for */
	struct guess guesses[GUESSES];
	size_t count;
};

static void add(struct looking *looking, uint64_t number, double far)
{
	size_t at = looking->count;

	while (at && far < looking->guesses[at - 1].far)
		at--;
	if (at == GUESSES)
		return;
	looking->count += looking->count < GUESSES;
	memmove(looking->guesses + at + 1, looking->guesses + at,
		(looking->count - at - 1) * sizeof(*looking->guesses));
	looking->guesses[at] = (struct guess) { number, far };
}

static void guess_at(struct looking *looking, struct layout_bounds *bounds,
		     const struct candidate *candidate, uint64_t number)
{
	const struct bound bound =
		bounds_at(bounds, candidate->at[AXIS_MICRO], candidate->at[AXIS_RECOMPUTE]);

	if (!looking->slow)
		add(looking, number, bound.memory);
	else if (!bound_too_large(looking->search, &bound))
		add(looking, number, bound.time);
}

static void guess_layout(struct looking *looking, size_t layout)
{
	const struct search *search = looking->search;
	const struct space *space = &search->space;
	struct candidate candidate = space->layouts.items[layout];
	uint64_t number = space->first.items[layout];
	struct layout_bounds bounds;
	struct leaves leaves = { 0 };
	struct arena scratch;
	size_t i, k;

	if (refusals_of(search, &candidate))
		return;
	arena_init(&scratch);
	bounds_begin(&bounds, &search->bounds, space, &candidate);
	space_leaves(space, &candidate, &scratch, &leaves);
	for (i = 0; i < leaves.micro.list.count; i++)
		for (k = 0; k < leaves.recompute.list.count; k++) {
			candidate.at[AXIS_MICRO] = leaves.micro.list.items[i];
			candidate.at[AXIS_RECOMPUTE] = leaves.recompute.list.items[k];
			guess_at(looking, &bounds, &candidate, number++);
		}
	arena_release(&scratch);
}

static bool is_nearer(const struct looking *looking, const struct outcome *outcome,
		      const struct outcome *than)
{
	if (outcome->fate == OUTCOME_REFUSED)
		return false;
	if (!looking->slow)
		return !(than->time > 0) || outcome->memory < than->memory;
	return outcome->fate == OUTCOME_RUNS &&
	       (!(than->time > 0) || outcome->score[0] < than->score[0]);
}

bool nearest_find(const struct search *search, struct outcome *nearest)
{
	struct looking looking = { .search = search };
	struct aim aim = search->aim;
	size_t i, made = 0;

	aim.min_tokens = 0;
	for (i = 0; i < search->tally.cuts.count; i++)
		looking.slow = looking.slow || search->tally.cuts.items[i].why == CUT_SLOW;
	for (i = 0; i < search->space.layouts.count; i++)
		guess_layout(&looking, i);
	memset(nearest, 0, sizeof(*nearest));
	for (i = 0; i < looking.count && made < FORECAST; i++) {
		const struct outcome outcome =
			outcome_of(&search->space, &aim, looking.guesses[i].number);
		made += outcome.fate != OUTCOME_REFUSED;
		if (is_nearer(&looking, &outcome, nearest))
			*nearest = outcome;
	}
	return nearest->time > 0;
}
