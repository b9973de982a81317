#include "rules/judged.h"

#include "input/axis.h"

#include <string.h>

static const char plan_gap[] = "strategy and degrees (--set parallelism.dp_shard=N, ...)";

const char *judged_name(enum judged_status status)
{
	static const char *const names[] = { "judged", "partly", "not" };

	return names[status];
}

static void list_unknown(struct judged *judged, const struct job *job)
{
	int i;

	if (!job->world)
		vec_push(job->arena, &judged->unknown, "world");
	if (job->intended->requested == STRATEGY_UNKNOWN)
		vec_push(job->arena, &judged->unknown, "strategy");
	for (i = AXIS_DP_REPLICATE; i < AXES; i++)
		if (axes_are_open(&job->settings, i, i + 1))
			vec_push(job->arena, &judged->unknown, axis_name(axes[i]));
}

static void leave_undecided(struct judged *judged, struct job *job, const char *needs)
{
	struct judged_gap gap = { needs, 1 };
	size_t i;

	judged->undecided++;
	for (i = 0; i < judged->gaps.count; i++)
		if (!strcmp(judged->gaps.items[i].needs, needs)) {
			judged->gaps.items[i].rules++;
			return;
		}
	vec_push(job->arena, &judged->gaps, gap);
}

/* True when a degree that nobody knows keeps the plan from being made. */
static bool plan_is_open(const struct job *job)
{
	return job->applied->unmodelled && axes_are_open(&job->settings, AXIS_DP, AXES);
}

/* What a rule lacks that somebody would have to give; "" when it does not concern the job. */
static const char *lacking(const struct rule *rule, const struct job *job)
{
	const unsigned int plan = NEEDS_ATTEMPT | NEEDS_APPLIED;
	const char *needs = needs_lacking(rule->needs, job);

	if (needs && !*needs && (rule->needs & plan) && plan_is_open(job) &&
	    !needs_lacking(rule->needs & ~plan, job))
		return plan_gap;
	return needs;
}

static void leave_open(struct judged *judged, struct job *job, const struct rule *rule,
		       const char *needs)
{
	struct judged_open open = { rule, needs, false };

	open.optional = needs_lacking(rule->needs & NEEDS_OPTIONAL, job) ||
			rule->id->severity == SEVERITY_NOTE;
	if (open.optional)
		judged->optional++;
	else
		leave_undecided(judged, job, needs);
	vec_push(job->arena, &judged->open, open);
}

static void count_rule(struct judged *judged, struct job *job, const struct rule *rule)
{
	const char *needs = rule->check ? lacking(rule, job) : NULL;

	if (!needs)
		judged->decided++;
	else if (*needs)
		leave_open(judged, job, rule, needs);
}

static const char *why_not(const struct job *job)
{
	if (!job->document.arena)
		return NULL; /* settings, a baseline: no config was read */
	if (job->versions.refused)
		return arena_printf(job->arena, "its version of %s is not known",
				    job->versions.refused);
	if (!job->readable)
		return "it could not be read as a config";
	if (job->document.no_job)
		return "it is no training job";
	return job->unsaid ? "strategy and degrees are not known" : NULL;
}

static bool has_gap(const struct judged *judged, const struct judged_gap *gap)
{
	size_t i;

	for (i = 0; i < judged->gaps.count; i++)
		if (!strcmp(judged->gaps.items[i].needs, gap->needs))
			return true;
	return false;
}

const struct judged_gap *judged_lacks_more(const struct judged *judged, const struct judged *its)
{
	size_t i;

	for (i = 0; i < its->gaps.count; i++)
		if (!has_gap(judged, &its->gaps.items[i]))
			return &its->gaps.items[i];
	return NULL;
}

/* What is open of another training of the script, where it is more than of this one. */
static void add_other(struct judged *judged, struct job *job, struct job *other)
{
	const struct judged its = judged_of(other);
	const struct judged_gap *gap;
	struct judged_gap unjudged = { "another launch of the script to be judged", 1 };

	judged->undecided += !judged->undecided;
	if (its.why && !has_gap(judged, &unjudged))
		vec_push(job->arena, &judged->gaps, unjudged);
	while ((gap = judged_lacks_more(judged, &its)))
		vec_push(job->arena, &judged->gaps, *gap);
}

struct judged judged_of(struct job *job)
{
	struct judged judged = { .why = why_not(job) };
	const struct rule *rule = NULL;
	size_t i;

	if (job->readable) {
		list_unknown(&judged, job);
		while ((rule = rule_next(rule)))
			count_rule(&judged, job, rule);
	}
	if (job->readable && !job->model && needs_lacking(NEEDS_MODEL, job))
		vec_push(job->arena, &judged.unknown, "model");
	for (i = 0; i < job->others.count; i++)
		add_other(&judged, job, job->others.items[i]);
	judged.status = judged.why ? JUDGED_NOT : judged.undecided ? JUDGED_PARTLY : JUDGED;
	return judged;
}
