#include "rules/interval.h"

#include "framework/wing.h"
#include "framework/timeline.h"
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

/* It holds of some versions that fit, and at most a warning says so: "HEAD; not under v0.2.0". */
static void limit(struct arena *arena, struct finding *finding, const char *only)
{
	finding_cap(finding, SEVERITY_WARNING);
	finding->only = only;
	finding->message = arena_printf(arena, "%s (%s)", finding->message, only);
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
		limit(job->arena, finding,
		      arena_printf(job->arena, "as upstream %s does; the file has keys of a fork",
				   version->label));
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

/* What was found under one of the versions that fit, and under which of them. */
struct seen {
	struct finding *finding;
	bool judged;			    /* found under the version that the job is judged by */
	const char *first, *last, *missing; /* versions: with it from, to; one without it */
};

struct scan {
	struct job *job;
	VEC(struct seen) list;
};

static struct seen *seen_as(struct scan *scan, const struct finding *finding)
{
	size_t i;

	for (i = 0; i < scan->list.count; i++)
		if (scan->list.items[i].finding->rule == finding->rule &&
		    !span_compare(scan->list.items[i].finding->span, finding->span))
			return &scan->list.items[i];
	return NULL;
}

static void note_judged(struct scan *scan)
{
	size_t i;

	for (i = 0; i < scan->job->findings->list.count; i++) {
		struct seen seen = { .finding = scan->job->findings->list.items[i],
				     .judged = true };

		if (seen.finding->severity > SEVERITY_NOTE && by_version(seen.finding->rule))
			vec_push(scan->job->arena, &scan->list, seen);
	}
}

static bool found_again(const struct findings *findings, const struct finding *finding)
{
	size_t i;

	for (i = 0; i < findings->list.count; i++)
		if (findings->list.items[i]->rule == finding->rule &&
		    !span_compare(findings->list.items[i]->span, finding->span))
			return true;
	return false;
}

/* Takes note of what is found under another version, and of what is not. */
static void note_version(struct scan *scan, const char *label, const struct findings *findings)
{
	size_t i;

	for (i = 0; i < scan->list.count; i++)
		if (!found_again(findings, scan->list.items[i].finding) &&
		    !scan->list.items[i].missing)
			scan->list.items[i].missing = label;
	for (i = 0; i < findings->list.count; i++) {
		struct finding *finding = findings->list.items[i];
		struct seen *before = seen_as(scan, finding);
		struct seen seen = { finding, false, label, label, NULL };

		if (before)
			before->last = label;
		else if (finding->severity == SEVERITY_ERROR && by_version(finding->rule))
			vec_push(scan->job->arena, &scan->list, seen);
	}
}

static void judge_row(struct scan *scan, const char *framework, const struct timeline_row *row)
{
	struct arena *arena = scan->job->arena;
	struct job *job = arena_new(arena, struct job);
	struct pin pin = { .framework = framework, .origin = ORIGIN_DERIVED };
	struct skips skips = { 0 };
	struct findings findings;

	findings_init(&findings, arena);
	pin.version = row->tag ? row->tag : row->commit;
	job_rederive(job, scan->job, pin, &findings);
	rules_run(job, &skips);
	note_version(scan, pin.version, &findings);
}

/* Lowers what does not hold throughout, adds what holds in a part that was not judged. */
static void settle(struct scan *scan, const struct version *version)
{
	struct arena *arena = scan->job->arena;
	size_t i;

	for (i = 0; i < scan->list.count; i++) {
		const struct seen *seen = &scan->list.items[i];
		struct finding *finding = seen->finding;

		if (seen->judged && !seen->missing)
			continue;
		if (seen->judged) {
			limit(arena, finding,
			      arena_printf(arena, "%s; not under %s, which fits as well",
					   version->label, seen->missing));
			continue;
		}
		limit(arena, finding,
		      arena_printf(arena, "not under %s, but from %s to %s, which fit as well",
				   version->label, seen->first, seen->last));
		vec_push(arena, &scan->job->findings->list, finding);
	}
}

void interval_apply(struct job *job)
{
	const struct version *version = job->readable ? inferred(job) : NULL;
	const struct timeline *timeline = version ? timeline_of(version->framework) : NULL;
	struct scan scan = { .job = job };
	int i;

	if (!timeline)
		return;
	if (is_fork(job)) {
		cap_fork(job, version);
		return;
	}
	note_judged(&scan);
	for (i = 0; i < timeline->count; i++) {
		const struct timeline_row *row = &timeline->rows[i];
		if (row->when >= version->low && row->when < version->high &&
		    (row->set_count || row->tag || row->when == version->low))
			judge_row(&scan, version->framework, row);
	}
	settle(&scan, version);
}
