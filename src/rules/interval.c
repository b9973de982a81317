#include "rules/interval.h"

#include "input/field.h"

#include <string.h>

/* The version that was inferred with more than one candidate, or NULL. */
static const struct version *inferred(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->versions.list.count; i++) {
		const struct version *version = &job->versions.list.items[i];

		if (version->origin == VERSION_INFERRED && version->low < version->high)
			return version;
	}
	return NULL;
}

static bool has(const struct findings *findings, const struct finding *finding)
{
	size_t i;

	for (i = 0; i < findings->list.count; i++)
		if (findings->list.items[i]->rule == finding->rule &&
		    !span_compare(findings->list.items[i]->span, finding->span))
			return true;
	return false;
}

static bool needs_look(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->findings->list.count; i++)
		if (job->findings->list.items[i]->severity > SEVERITY_NOTE)
			return true;
	return false;
}

/* True for what depends on a version: rules that run, but for those that always hold. */
static bool by_version(const struct rule_id *id)
{
	const struct rule *rule = rule_find(id->name);

	return rule && rule->check && !(rule->needs & HOLDS_ALWAYS);
}

/*
 * Keys that no release knows are a fork's, and what the fork does nobody here has read: what
 * upstream would do is at most a warning then.
 */
static void cap_fork(struct job *job, const struct version *version)
{
	size_t i;

	for (i = 0; i < job->findings->list.count; i++) {
		struct finding *finding = job->findings->list.items[i];

		if (finding->severity < SEVERITY_ERROR || !by_version(finding->rule))
			continue;
		finding_cap(finding, SEVERITY_WARNING);
		finding->message = arena_printf(
			job->arena, "%s (as upstream %s does; the file has keys of a fork)",
			finding->message, version->label);
	}
}

static bool is_fork(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->findings->list.count; i++)
		if (job->findings->list.items[i]->rule == &rule_unknown_key)
			return true;
	return false;
}

static void cap(struct job *job, const struct version *version, struct finding *finding)
{
	finding_cap(finding, SEVERITY_WARNING);
	finding->message = arena_printf(job->arena, "%s (%s; not under %s, which fits as well)",
					finding->message, version->newest, version->oldest);
}

void interval_apply(struct job *job)
{
	const struct version *version = job->readable ? inferred(job) : NULL;
	struct pin pin = { .origin = ORIGIN_DERIVED };
	struct findings findings;
	struct skips skips = { 0 };
	struct job *oldest;
	size_t i;

	if (!version || !needs_look(job))
		return;
	if (is_fork(job))
		cap_fork(job, version);
	findings_init(&findings, job->arena);
	oldest = arena_new(job->arena, struct job);
	pin.framework = version->framework;
	pin.version = version->oldest;
	job_rederive(oldest, job, pin, &findings);
	rules_run(oldest, &skips);
	for (i = 0; i < job->findings->list.count; i++) {
		struct finding *finding = job->findings->list.items[i];

		if (finding->severity > SEVERITY_NOTE && by_version(finding->rule) &&
		    !has(&findings, finding))
			cap(job, version, finding);
	}
}
