#include "search/refusals.h"

#include "rules/rule.h"
#include "search/trial.h"

/* What a candidate's value of a degree is; 0: it is none. */
static int64_t degree_of(const struct space *space, const struct candidate *candidate,
			 enum field_id field)
{
	static const enum axis axes[FIELD_COUNT] = {
		[FIELD_PP] = AXIS_PP,	    [FIELD_TP] = AXIS_TP,
		[FIELD_CP] = AXIS_CP,	    [FIELD_EP] = AXIS_EP,
		[FIELD_ETP] = AXIS_ETP,	    [FIELD_DP_REPLICATE] = AXIS_REPLICATE,
		[FIELD_SP] = AXIS_SEQUENCE, [FIELD_ULYSSES] = AXIS_SEQUENCE
	};

	if (field == FIELD_DP)
		return candidate_dp(space, candidate);
	if (field == FIELD_DP_SHARD)
		return candidate_dp(space, candidate) / candidate->at[AXIS_REPLICATE];
	return axes[field] ? candidate->at[axes[field]] : 0;
}

static bool is_refused_by(const struct space *space, const struct candidate *candidate,
			  const struct refused *refusal)
{
	int i;

	if (refusal->site != candidate->at[AXIS_SITE])
		return false;
	for (i = 0; i < refusal->reasons.count; i++)
		if (degree_of(space, candidate, refusal->reasons.fields[i]) != refusal->values[i])
			return false;
	return true;
}

const struct refused *refusals_of(const struct search *search, const struct candidate *candidate)
{
	size_t i;

	for (i = 0; i < search->refusals.count; i++)
		if (is_refused_by(&search->space, candidate, &search->refusals.items[i]))
			return &search->refusals.items[i];
	return NULL;
}

void refusals_learn(struct search *search, const struct candidate *candidate,
		    const struct outcome *outcome)
{
	const struct site *site = search->space.sites.items[candidate->at[AXIS_SITE]];
	struct refused refusal = { .rule = outcome->rule,
				   .site = candidate->at[AXIS_SITE],
				   .reasons = outcome->reasons };
	const struct rule *rule = outcome->rule ? rule_find(outcome->rule->name) : NULL;
	int i;

	if (outcome->scope != SCOPE_REGION || !rule ||
	    !(rule->needs & (FOLLOWS_BLAMED | FOLLOWS_MODEL)))
		return;
	if (rule->needs & FOLLOWS_MODEL)
		refusal.reasons =
			(struct reasons) { { FIELD_PP, FIELD_TP, FIELD_CP, site->ulysses }, 4 };
	for (i = 0; i < refusal.reasons.count; i++) {
		const enum field_id field = refusal.reasons.fields[i];
		if (site->derived_dp && (field == FIELD_DP_SHARD || field == FIELD_DP_REPLICATE))
			return;
		refusal.values[i] = degree_of(&search->space, candidate, field);
	}
	vec_push(search->arena, &search->refusals, refusal);
}

/* What the framework raises for a value of one degree, by the first layout that has it. */
static void learn_of(struct search *search, size_t layout)
{
	const uint64_t number = search->space.first.items[layout];
	struct candidate candidate;
	struct bound bound = { 0 };
	struct trial trial;

	if (number == search->space.first.items[layout + 1])
		return;
	candidate = space_candidate(&search->space, number);
	trial_init(&trial, &search->space, &search->aim, &search->bounds.borne);
	trial_begin(&trial, &candidate, number, &bound);
	refusals_learn(search, &candidate, &trial.outcome);
	trial_release(&trial);
}

void refusals_learn_values(struct search *search)
{
	static const enum axis axes[] = { AXIS_TP, AXIS_CP, AXIS_SEQUENCE, AXIS_EP, AXIS_ETP };
	const struct space *space = &search->space;
	int64_t most[sizeof(axes) / sizeof(axes[0])] = { 1, 1, 1, 1, 1 };
	size_t i, k;

	for (i = 0; i < space->layouts.count; i++)
		for (k = 0; k < sizeof(axes) / sizeof(axes[0]); k++)
			if (space->layouts.items[i].at[axes[k]] > most[k]) {
				most[k] = space->layouts.items[i].at[axes[k]];
				learn_of(search, i);
			}
}
