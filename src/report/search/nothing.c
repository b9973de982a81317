#include "report/search/search.h"

#include "base/text.h"
#include "cost/units.h"
#include "input/field.h"
#include "search/candidate.h"
#include "search/nearest.h"
#include "sim/workload/objective.h"

#include <inttypes.h>

/* A search that proposes nothing. */
struct nothing {
	const struct search *search;
	const struct result *result;
	struct arena *arena;
};

/* "parallelism.tp=3, parallelism.cp=1,2", and what else of the layout is tried at a site. */
static const char *restrictions_text(const struct nothing *nothing)
{
	const struct restrictions *all = &nothing->search->space.restrictions;
	const struct site *site = nothing->search->space.sites.items[0];
	const char *text = "";
	size_t i, k;

	for (i = 0; i < all->list.count; i++) {
		const struct restriction *one = &all->list.items[i];
		text = arena_printf(nothing->arena, "%s%s%s=", text, i ? ", " : "",
				    field_of(one->field)->key);
		for (k = 0; k < one->values.count; k++)
			text = arena_join(nothing->arena, text, k ? "," : "", one->values.items[k]);
	}
	for (i = 0; i < site->said.count; i++)
		if (text_starts(field_of(site->said.items[i].field)->key, "parallelism."))
			text = arena_printf(nothing->arena, "%s%s%s=%s", text, *text ? ", " : "",
					    field_of(site->said.items[i].field)->key,
					    site->said.items[i].value);
	return text;
}

/* Why no layout is there to be looked at. */
static const char *empty_text(const struct nothing *nothing)
{
	const struct space *space = &nothing->search->space;
	const char *restrictions = restrictions_text(nothing);

	if (space->uneven)
		return arena_printf(nothing->arena,
				    "No layout is possible: a batch of %s cannot be cut over the "
				    "ranks of any of %" PRIu64
				    " layouts. --global-batch N takes another one.",
				    objective_samples(nothing->arena, &space->sites.items[0]->job,
						      space->sites.items[0]->batch),
				    space->uneven);
	return arena_printf(nothing->arena,
			    "No layout is possible: degrees divide the %" PRId64
			    " ranks, and the heads, layers and sequences that they cut%s%s.",
			    space->sites.items[0]->world,
			    *restrictions ? ", and --fix and --vary leave " : "", restrictions);
}

/* What most candidates are cut for. */
static const char *main_cut(const struct nothing *nothing)
{
	const struct cut *most = nearest_cut(nothing->search);
	const char *words = nothing->result->words;

	if (nothing->search->runs.count)
		return "No layout runs: those that would are no longer the same, or stop, once "
		       "the config has them. The counts below say why.";
	if (!most || !most->rule)
		return "No layout runs.";
	return arena_printf(nothing->arena,
			    "No layout runs. Most are against rule %s (parplan explain %s)%s%s",
			    most->rule->name, most->rule->name, words ? ", one with: " : ".",
			    words ? words : "");
}

/* That none runs; or none of those that can be forecast. */
static const char *none_text(const struct nothing *nothing)
{
	const size_t unknown = cuts_of(&nothing->search->tally, 1U << CUT_UNFORECAST);

	return unknown ? arena_printf(nothing->arena,
				      "No layout runs of those that can be forecast; of %zu it is "
				      "not known.",
				      unknown)
		       : "No layout runs.";
}

/* What speaks against the nearest beside its memory, after a blank. */
static const char *refused_too(const struct nothing *nothing)
{
	const struct rule_id *rule = nothing->result->nearest.rule;
	const char *words = nothing->result->words;

	return rule ? arena_printf(nothing->arena,
				   " Rule %s is against it, too (parplan explain %s)%s%s.",
				   rule->name, rule->name, words ? ": " : "", words ? words : "")
		    : "";
}

/* What comes nearest to one that runs. */
static const char *nearest_text(const struct nothing *nothing)
{
	const struct outcome *nearest = &nothing->result->nearest;
	const struct space *space = &nothing->search->space;
	struct candidate candidate;
	const char *layout;

	if (!(nearest->time > 0))
		return main_cut(nothing);
	candidate = space_candidate(space, nearest->number);
	layout = candidate_text(space, &candidate, nothing->arena);
	if (nothing->search->aim.min_tokens > 0 && nearest->fate == OUTCOME_RUNS)
		return arena_printf(
			nothing->arena,
			"No layout is fast enough. The fastest that fits makes %.0f "
			"tokens per second: %s.",
			nearest->tokens *
				(double)space->sites.items[candidate.at[AXIS_SITE]]->world,
			layout);
	return arena_printf(nothing->arena,
			    "%s The least memory that was found is %.1f of %.1f GiB (%s): %s. More "
			    "devices share it further (--gpus N), larger ones hold it (--gpu "
			    "NAME)%s.%s",
			    none_text(nothing), nearest->memory / GIB, nearest->capacity / GIB,
			    risk_text(nothing->arena, nearest), layout,
			    nearest->risk < 0.5 ? ", a higher --risk takes it" : "",
			    refused_too(nothing));
}

const char *nothing_text(const struct search *search, const struct result *result)
{
	const struct nothing nothing = { search, result, search->arena };

	return !space_count(&nothing.search->space) ? empty_text(&nothing)
	       : !nothing.result->decided
		       ? "No layout that runs was found in this time: not all were "
			 "decided."
		       : nearest_text(&nothing);
}
