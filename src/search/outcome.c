#include "search/outcome.h"

#include "rules/level.h"
#include "rules/rule.h"
#include "search/candidate.h"

#include <string.h>

void outcome_score(const struct aim *aim, double time, const struct site *site, double score[2])
{
	score[0] = time * site->scale;
	score[1] = 0;
	if (aim->objective == OBJECTIVE_TOKENS || aim->objective == OBJECTIVE_COST) {
		score[0] *=
			(double)site->world * (aim->objective == OBJECTIVE_COST ? site->price : 1);
	} else if (aim->objective == OBJECTIVE_GPUS) {
		score[0] = (double)site->world;
		score[1] = time * site->scale;
	}
}

double outcome_cost(const struct space *space, const struct outcome *outcome)
{
	const struct candidate candidate = space_candidate(space, outcome->number);
	const struct site *site = space->sites.items[candidate.at[AXIS_SITE]];

	return site->price * 1e9 / outcome->tokens / 3600;
}

int outcome_compare(const struct outcome *a, const struct outcome *b)
{
	int i;

	for (i = 0; i < 2; i++)
		if (a->score[i] < b->score[i] || a->score[i] > b->score[i])
			return a->score[i] < b->score[i] ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static const char *limit_of(const struct step *step, const struct workload *work)
{
	const struct {
		const char *name;
		double time;
	} parts[] = { { "tensor parallel traffic", step->tensor },
		      { "context parallel traffic", step->context },
		      { "expert parallel traffic", step->expert },
		      { "data parallel traffic", step->data },
		      { "pipeline bubble", step->bubble },
		      { "optimizer", step->optimizer },
		      { step_host_name(work), step->host } };
	const char *limit = "computing";
	double most = step_worth_naming(step);
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].time > most) {
			most = parts[i].time;
			limit = parts[i].name;
		}
	return limit;
}

void outcome_take(struct outcome *outcome, const struct aim *aim, const struct site *site,
		  const struct forecast *forecast)
{
	outcome->time = forecast->step.total;
	outcome->low = forecast->low;
	outcome->high = forecast->high;
	outcome->memory = forecast->memory.device;
	outcome->need = forecast->memory.need;
	outcome->capacity = forecast->memory.capacity;
	outcome->risk = forecast->memory.probability;
	outcome->mfu = forecast->mfu;
	outcome->tokens = forecast->tokens;
	outcome->limit = limit_of(&forecast->step, &forecast->work);
	outcome_score(aim, outcome->time, site, outcome->score);
	if (outcome->risk > aim->risk)
		outcome->fate = OUTCOME_MEMORY;
	else if (outcome->tokens * (double)forecast->work.world < aim->min_tokens)
		outcome->fate = OUTCOME_SLOW;
}

static bool is_warned(const struct space *space, const struct rule_id *rule)
{
	size_t i;

	for (i = 0; i < space->warned.count; i++)
		if (space->warned.items[i] == rule)
			return true;
	return !strcmp(rule->name, "does-not-fit"); /* the risk that is taken tells */
}

const struct rule_id *outcome_objection(const struct space *space, const struct findings *findings)
{
	const struct rule_id *warned = NULL;
	size_t i;

	for (i = 0; i < findings->list.count; i++) {
		const struct finding *finding = findings->list.items[i];
		if (finding->severity == SEVERITY_ERROR)
			return finding->rule;
		if (finding->severity == SEVERITY_WARNING && space->starts && !warned &&
		    !is_warned(space, finding->rule))
			warned = finding->rule;
	}
	return warned;
}

void outcome_warned(struct space *space, const struct job *own)
{
	const struct findings *findings = own->findings;
	size_t i;

	space->starts = space->starts || (own->applied && !own->applied->error);
	for (i = 0; i < findings->list.count; i++)
		if (findings->list.items[i]->severity == SEVERITY_WARNING &&
		    !is_warned(space, findings->list.items[i]->rule))
			vec_push(space->arena, &space->warned, findings->list.items[i]->rule);
}

/*
 * The rules under the version that the job is judged by. What they say under others that fit as
 * well is known of what is shown alone, which is read back.
 */
const struct rule_id *outcome_rule(const struct space *space, struct job *job)
{
	struct skips skips = { 0 };

	job->unadvised = true;
	rules_run(job, &skips);
	levels_apply(&space->levels, job, &skips);
	return outcome_objection(space, job->findings);
}

/* What a layout's candidates differ in; and what those of its degrees differ in, too. */
static enum scope scope_of(enum field_id field)
{
	static const enum field_id leaves[] = { FIELD_LOCAL_BATCH_SIZE,
						FIELD_MICRO_BATCH_SIZE,
						FIELD_GLOBAL_BATCH_SIZE,
						FIELD_PP_MICROBATCH_SIZE,
						FIELD_GRADIENT_ACCUMULATION,
						FIELD_AC_MODE,
						FIELD_AC_OPTION,
						FIELD_AC_METHOD,
						FIELD_AC_LAYERS };
	static const enum field_id branches[] = {
		FIELD_PP_SCHEDULE,	   FIELD_PP_VIRTUAL_STAGES,
		FIELD_PP_LAYERS_PER_STAGE, FIELD_RESHARD_AFTER_FORWARD,
		FIELD_SEQUENCE_PARALLEL,   FIELD_ASYNC_TP,
		FIELD_OVERLAP_TP,	   FIELD_OPTIMIZER_DISTRIBUTED,
		FIELD_ZERO_STAGE
	};
	size_t i;

	for (i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
		if (field == leaves[i])
			return SCOPE_CANDIDATE;
	for (i = 0; i < sizeof(branches) / sizeof(branches[0]); i++)
		if (field == branches[i])
			return SCOPE_LAYOUT;
	return SCOPE_REGION;
}

/*
 * What the framework raises is known to come of some settings. What others might make it raise
 * before would stop the candidate as well.
 */
static void blame(struct outcome *outcome, const struct plan_error *error)
{
	int i;

	outcome->scope = error->because_count > 0 ? SCOPE_REGION : SCOPE_CANDIDATE;
	for (i = 0; i < error->because_count; i++) {
		const enum field_id field = error->because[i]->field;
		if (scope_of(field) < outcome->scope)
			outcome->scope = scope_of(field);
		outcome->reasons.fields[outcome->reasons.count++] = field;
	}
}

static void refuse(struct outcome *outcome, const struct rule_id *rule)
{
	outcome->fate = OUTCOME_REFUSED;
	outcome->rule = rule;
}

/* The rule that reports what the framework raises. */
static const struct rule_id *raised_rule(const struct plan_error *error)
{
	const struct rule *rule = rule_find(error->rule ? error->rule : "framework-raises");

	return rule ? rule->id : NULL;
}

void outcome_refuse(struct outcome *outcome, const struct space *space, struct job *job)
{
	const struct plan_error *error = job->applied->error;

	refuse(outcome, error ? raised_rule(error) : outcome_rule(space, job));
	if (error)
		blame(outcome, error);
}

bool outcome_raises_later(struct outcome *outcome, const struct job *job)
{
	const struct plan_error *later = job->applied->later;
	const struct rule_id *rule = raised_rule(later);
	size_t i;

	for (i = 0; i < job->findings->list.count; i++) {
		const struct finding *finding = job->findings->list.items[i];
		if (finding->severity != SEVERITY_ERROR || finding->rule != rule)
			continue;
		refuse(outcome, rule);
		blame(outcome, later);
		return true;
	}
	return false;
}

struct outcome outcome_of_job(const struct space *space, const struct aim *aim,
			      const struct site *site, struct job *job)
{
	struct outcome outcome = { .fate = OUTCOME_RUNS };
	struct forecast *forecast = arena_new(job->arena, struct forecast);
	const struct rule_id *rule;

	if (job->applied->error || job->applied->unmodelled) {
		outcome_refuse(&outcome, space, job);
		return outcome;
	}
	job->unforecast = forecast_begin(forecast, job, job->applied, aim->numbers);
	if (job->unforecast) {
		refuse(&outcome, outcome_rule(space, job));
		return outcome;
	}
	forecast_step(forecast, job->arena);
	if (!aim->numbers)
		job->forecast = forecast;
	outcome_take(&outcome, aim, site, forecast);
	if (outcome.fate == OUTCOME_SLOW)
		return outcome;
	rule = outcome_rule(space, job); /* that it does not fit is told by its memory */
	if (rule && (outcome.fate == OUTCOME_RUNS || strcmp(rule->name, "does-not-fit") != 0))
		refuse(&outcome, rule);
	return outcome;
}

struct outcome outcome_in(struct arena *arena, const struct space *space, const struct aim *aim,
			  uint64_t number, struct job *job)
{
	const struct candidate candidate = space_candidate(space, number);
	const struct site *site = space->sites.items[candidate.at[AXIS_SITE]];
	struct said said = { .arena = arena };
	struct outcome outcome;

	candidate_settings(space, &candidate, &said);
	job_vary(job, arena, &site->job, said.list.items, said.list.count, 0);
	outcome = outcome_of_job(space, aim, site, job);
	outcome.number = number;
	return outcome;
}

struct outcome outcome_of(const struct space *space, const struct aim *aim, uint64_t number)
{
	struct outcome outcome;
	struct arena arena;
	struct job job;

	arena_init(&arena);
	outcome = outcome_in(&arena, space, aim, number, &job);
	arena_release(&arena);
	return outcome;
}
