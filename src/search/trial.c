#include "search/trial.h"

#include "cost/units.h"
#include "rules/rule.h"
#include "search/candidate.h"
#include "sim/risk.h"

void trial_init(struct trial *trial, const struct space *space, const struct aim *aim,
		const struct borne *borne)
{
	trial->borne = borne;
	trial->space = space;
	trial->aim = aim;
	trial->made = trial->judged = trial->suspect = false;
	arena_init(&trial->arena);
	arena_init(&trial->latest);
}

void trial_release(struct trial *trial)
{
	arena_release(&trial->arena);
	arena_release(&trial->latest);
}

static const struct site *site_of(const struct trial *trial, const struct candidate *candidate)
{
	return trial->space->sites.items[candidate->at[AXIS_SITE]];
}

/* Whether rules that need no forecast find an error. */
static const struct rule_id *early_rule(const struct trial *trial, struct job *job)
{
	const struct rule_id *rule;

	job->unforecast = "it is not asked for yet";
	rule = outcome_rule(trial->space, job);
	job->unforecast = NULL;
	return rule;
}

/* The profile and the workload of a layout's plan, or why there are none. */
static const char *begin_plan(struct trial *trial, const struct site *site)
{
	struct forecast *forecast = &trial->forecast;
	struct job *job = &trial->job;
	const char *missing = NULL;

	if (!site->profile)
		missing = forecast_begin(forecast, job, job->applied, trial->aim->numbers);
	if (missing)
		return missing;
	if (site->profile)
		forecast->profile = *site->profile;
	trial->work = workload_of_plan(&trial->arena, job, job->applied);
	return workload_read_on(&forecast->work, &forecast->profile, job, &trial->work);
}

/* What comes of settings that candidates of a layout differ in is in no plan of all of them. */
static bool raises_later(struct trial *trial, struct outcome *outcome)
{
	if (!trial->job.applied->later)
		return false;
	(void)early_rule(trial, &trial->job);
	return outcome_raises_later(outcome, &trial->job);
}

/* The plan of a layout, made for one of its candidates. False: it is refused, or has no step. */
static bool make(struct trial *trial, const struct candidate *candidate, struct outcome *outcome)
{
	const struct site *site = site_of(trial, candidate);
	struct said said = { .arena = &trial->arena };
	struct job *job = &trial->job;

	arena_release(&trial->arena);
	candidate_settings(trial->space, candidate, &said);
	job_vary(job, &trial->arena, &site->job, said.list.items, said.list.count, 0);
	if (job->applied->error || job->applied->unmodelled || begin_plan(trial, site)) {
		outcome_refuse(outcome, trial->space, job);
		return false;
	}
	if (raises_later(trial, outcome))
		return false;
	trial->glance =
		glance_begin(&trial->arena, &trial->forecast.profile, &trial->forecast.work);
	trial->made = true;
	trial->judged = trial->suspect = false;
	return true;
}

/* What the candidate's step is like; false: it has none. */
static bool begin_forecast(struct trial *trial)
{
	struct job *job = &trial->candidate;
	struct forecast *forecast = arena_new(&trial->latest, struct forecast);

	forecast->profile = trial->forecast.profile;
	job->unforecast = workload_read_on(&forecast->work, &forecast->profile, job, &trial->work);
	if (job->unforecast)
		outcome_refuse(&trial->outcome, trial->space, job);
	trial->latest_forecast = forecast;
	return !job->unforecast;
}

static void put_bound(struct trial *trial, struct bound *bound)
{
	const struct forecast *forecast = trial->latest_forecast;
	struct glance glance;

	trial->stages = stages_cost(&trial->latest, &forecast->profile, &forecast->work);
	glance = glance_of(&trial->latest, &trial->glance, &forecast->profile, &forecast->work,
			   &trial->stages);
	bound->time = trial->borne->time * glance.time;
	bound->memory = trial->borne->memory * glance.memory;
	bound->need = trial->borne->memory * glance.need;
	bound->capacity = GIB * profile_get(&forecast->profile, FIGURE_MEMORY);
	bound->risk = risk_of_peak(&forecast->profile, bound->need, bound->capacity) /
		      memory_ways(&forecast->work);
}

bool trial_begin(struct trial *trial, const struct candidate *candidate, uint64_t number,
		 struct bound *bound)
{
	const struct site *site = site_of(trial, candidate);
	struct said said = { .arena = &trial->latest };

	trial->outcome = (struct outcome) { .fate = OUTCOME_RUNS, .number = number };
	if (!trial->made && !make(trial, candidate, &trial->outcome))
		return false;
	arena_release(&trial->latest);
	candidate_settings(trial->space, candidate, &said);
	trial->site = site;
	job_vary_like(&trial->candidate, &trial->latest, &site->job, said.list.items,
		      said.list.count, &trial->job);
	if (!begin_forecast(trial))
		return false;
	put_bound(trial, bound);
	return true;
}

static bool holds_for_layout(const struct rule_id *id)
{
	const struct rule *rule = rule_find(id->name);

	return rule && (rule->needs & FOLLOWS_GROUPS);
}

bool trial_allowed(struct trial *trial)
{
	struct outcome *outcome = &trial->outcome;

	if (trial->judged && !trial->suspect)
		return true;
	outcome->rule = early_rule(trial, &trial->candidate);
	trial->judged = true;
	trial->suspect = outcome->rule != NULL;
	if (!outcome->rule)
		return true;
	outcome->fate = OUTCOME_REFUSED;
	if (holds_for_layout(outcome->rule))
		outcome->scope = SCOPE_LAYOUT;
	return false;
}

struct outcome trial_forecast(struct trial *trial)
{
	struct forecast *forecast = trial->latest_forecast;

	forecast_step_on(forecast, &trial->latest, &trial->stages);
	if (!trial->aim->numbers)
		trial->candidate.forecast = forecast;
	outcome_take(&trial->outcome, trial->aim, trial->site, forecast);
	return trial->outcome;
}

void trial_judge(struct trial *trial)
{
	trial->outcome.rule = outcome_rule(trial->space, &trial->candidate);
	if (trial->outcome.rule)
		trial->outcome.fate = OUTCOME_REFUSED;
}
