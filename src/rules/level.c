#include "rules/level.h"

#include "base/text.h"
#include "rules/expect.h"

#include <string.h>

static const char *unknown_rule(struct arena *arena, const char *name)
{
	const char *near = rule_nearest(arena, name);

	if (near)
		return arena_printf(arena, "unknown rule '%s'; did you mean '%s'?", name, near);
	return arena_printf(arena, "unknown rule '%s' (parplan rules lists them)", name);
}

const char *levels_add(struct levels *levels, struct arena *arena, const char *names,
		       enum level level)
{
	while (*names) {
		size_t length = strcspn(names, ",");
		const char *name = arena_strndup(arena, names, length);
		const struct rule *rule = rule_find(name);
		struct relevel relevel = { .level = level };

		if (!rule)
			return unknown_rule(arena, name);
		relevel.rule = rule->id;
		vec_push(arena, &levels->list, relevel);
		names += length + (names[length] == ',');
	}
	return NULL;
}

/* True when a comment silences the finding; the comment is then used. */
static bool suppressed(struct document *document, const struct finding *finding)
{
	bool silent = false;
	size_t i;

	for (i = 0; i < document->suppressions.count; i++) {
		struct suppression *comment = &document->suppressions.items[i];

		if (comment->line && (finding->span.source != document->source ||
				      comment->line != finding->span.line))
			continue;
		if (strcmp(comment->rule, finding->rule->name) != 0)
			continue;
		comment->used = true;
		silent = true;
	}
	return silent;
}

/* Applies the levels to one finding; false when it is to be dropped. */
static bool relevel(const struct levels *levels, struct finding *finding)
{
	static const enum severity severities[] = { [LEVEL_NOTE] = SEVERITY_NOTE,
						    [LEVEL_WARN] = SEVERITY_WARNING,
						    [LEVEL_ERROR] = SEVERITY_ERROR };
	bool keep = true;
	size_t i;

	for (i = 0; i < levels->list.count; i++) {
		const struct relevel *change = &levels->list.items[i];

		if (change->rule != finding->rule)
			continue;
		keep = change->level != LEVEL_IGNORE;
		if (keep)
			finding->severity = severities[change->level];
	}
	return keep;
}

static bool skipped(const struct skips *skips, const char *name)
{
	size_t i;

	for (i = 0; i < skips->list.count; i++)
		if (!strcmp(skips->list.items[i].rule->id->name, name))
			return true;
	return false;
}

static void find_unused(struct job *job, const struct skips *skips)
{
	size_t i;

	for (i = 0; i < job->document.suppressions.count; i++) {
		const struct suppression *comment = &job->document.suppressions.items[i];
		struct finding *finding;

		if (comment->used || skipped(skips, comment->rule))
			continue;
		finding = finding_add(job->findings, &rule_unused_suppression, comment->span,
				      "nothing here is silenced by ignore=%s", comment->rule);
		if (!rule_find(comment->rule))
			finding_fix(job->findings, finding, "%s",
				    unknown_rule(job->arena, comment->rule));
	}
}

static enum silence silence_of(const struct levels *levels, struct job *job,
			       struct finding *finding)
{
	if (suppressed(&job->document, finding))
		return SILENCED_BY_COMMENT;
	return relevel(levels, finding) ? NOT_SILENCED : SILENCED_BY_OPTION;
}

/* Sets aside what comments and options drop. */
static void filter(const struct levels *levels, struct job *job)
{
	struct findings *findings = job->findings;
	size_t i, kept = 0;

	for (i = 0; i < findings->list.count; i++) {
		struct finding *finding = findings->list.items[i];

		finding->silence = silence_of(levels, job, finding);
		if (finding->silence)
			vec_push(findings->arena, &findings->silenced, finding);
		else
			findings->list.items[kept++] = finding;
	}
	findings->list.count = kept;
}

void levels_apply(const struct levels *levels, struct job *job, const struct skips *skips)
{
	if (job->readable)
		expect_raise(job, skips);
	filter(levels, job);
	if (job->readable)
		find_unused(job, skips);
	filter(levels, job);
	findings_sort(job->findings);
}
