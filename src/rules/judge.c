#include "rules/judge.h"

#include "base/text.h"
#include "rules/interval.h"
#include "rules/launches.h"
#include "rules/project.h"
#include "rules/raised.h"

#include <string.h>

/* Nothing is forecast of a job that stops (rules of the letter E). */
static void drop_forecasts(struct job *job)
{
	struct findings *findings = job->findings;
	size_t i, kept = 0;

	for (i = 0; i < findings->list.count; i++)
		if (findings->list.items[i]->rule->code[0] != 'E')
			findings->list.items[kept++] = findings->list.items[i];
	findings->list.count = kept;
}

/*
 * The finding by which a judged job stops before its first step has ended: an error that quotes
 * what is raised, or of a rule that always stops. What happens to checkpoints (rules of the letter
 * R) is left out, and so is what a config expects of them (N): no job stops at an expectation.
 */
static const struct finding *judge_stop(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->findings->list.count; i++) {
		const struct finding *finding = job->findings->list.items[i];
		if (finding->severity == SEVERITY_ERROR &&
		    (finding->quote || finding->rule->stops) &&
		    !strchr("NR", finding->rule->code[0]))
			return finding;
	}
	return NULL;
}

static void finish(const struct levels *levels, struct job *job, const struct skips *skips)
{
	levels_apply(levels, job, skips);
	if (judge_stop(job))
		drop_forecasts(job);
}

void judge(const struct levels *levels, struct job *job, struct skips *skips)
{
	rules_run(job, skips);
	interval_apply(job);
	finish(levels, job, skips);
}

void judge_file(const struct levels *levels, struct job *job, struct skips *skips)
{
	rules_run(job, skips);
	interval_apply(job);
	launches_judge(job);
	finish(levels, job, skips);
}

/* What the plan knows of it, which is more than a finding quotes; or NULL. */
static const struct plan_error *planned_error(const struct job *job, const struct finding *stop)
{
	const struct plan *plan = job->applied;

	if (plan && !plan->error && stop)
		return plan->later;
	return plan ? plan->error : NULL;
}

const char *judge_doubt(const struct job *job)
{
	const struct plan_error *error = job->applied ? job->applied->error : NULL;
	size_t i;

	for (i = 0; error && i < job->findings->list.count; i++) {
		const struct finding *finding = job->findings->list.items[i];
		if (!strcmp(finding->rule->name, raised_rule(error)) && finding->only)
			return finding->only;
	}
	return NULL;
}

const char *judge_raised(const struct job *job)
{
	const struct finding *finding = judge_stop(job);
	const struct plan_error *error = planned_error(job, finding);

	if (!error)
		return !finding ? NULL : finding->quote ? finding->quote : finding->message;
	return arena_join(job->arena, error->type, *error->message ? ": " : "",
			  text_join_lines(job->arena, error->message, true));
}

/* An error that quotes what is raised, as a plan has it: "TYPE: MESSAGE", "TYPE" or a message. */
static const struct plan_error *error_of(struct arena *arena, const struct finding *finding)
{
	struct plan_error *error = arena_new(arena, struct plan_error);
	const char *quote = finding->quote ? finding->quote : finding->message;
	const size_t length = strcspn(quote, ": ");

	error->type = "Error";
	error->message = quote;
	if (finding->quote && quote[length] != ' ') {
		error->type = arena_strndup(arena, quote, length);
		error->message = quote + length + strspn(quote + length, ": ");
	}
	return error;
}

const struct plan_error *judge_error(struct job *job)
{
	struct findings *own = job->findings, *judged = arena_new(job->arena, struct findings);
	const char *unforecast = job->unforecast;
	const struct project *project = job->document.overrides->project;
	const struct plan_error *error;
	const struct finding *finding;
	struct levels levels = { 0 };
	struct skips skips = { 0 };
	size_t i;

	if (project)
		project_levels(project, job->arena, &levels);
	findings_init(judged, job->arena);
	for (i = 0; i < own->list.count; i++)
		vec_push(job->arena, &judged->list, own->list.items[i]);
	job->findings = judged;
	job->unforecast = "nothing is forecast of a job that stops";
	judge(&levels, job, &skips);
	job->unforecast = unforecast;
	finding = judge_stop(job);
	error = planned_error(job, finding);
	if (!error && finding)
		error = error_of(job->arena, finding);
	if (!error)
		job->findings = own;
	return error;
}
