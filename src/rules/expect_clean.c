#include "rules/expect.h"

#include "input/node.h"
#include "rules/facts.h"

#include <string.h>

/*
 * expect.clean: topics and rules that must find nothing. Remarks on topology, forecasts and the
 * like are notes; who relies on their absence writes it down here, and they are errors.
 */

/* The name of a topic, or of a rule. */
static bool means(const char *name, const struct rule *rule)
{
	return !strcmp(rule->id->name, name) || !strcmp(rule_topic(rule)->topic, name);
}

static bool is_known(const char *name)
{
	const struct rule *rule = NULL;

	while ((rule = rule_next(rule)))
		if (means(name, rule))
			return true;
	return false;
}

static const struct node *first_name(const struct node *want)
{
	return want->kind == NODE_LIST ? want->first : want;
}

static const struct node *next_name(const struct node *want, const struct node *name)
{
	return want->kind == NODE_LIST ? name->next : NULL;
}

static void find_no_rule(struct job *job, const struct node *name)
{
	VEC(const char *) names = { 0 };
	const struct ruleset *const *set;
	const struct rule *rule = NULL;

	for (set = rulesets; *set; set++)
		vec_push(job->arena, &names, (*set)->topic);
	while ((rule = rule_next(rule)))
		vec_push(job->arena, &names, rule->id->name);
	expect_unknown(job, name, names.items, names.count);
}

/* The rules have not all run yet: only the names are judged here, the rest by expect_raise. */
void expect_clean(const struct expected *expected)
{
	const struct node *want = expected->want, *name;

	for (name = first_name(want); name; name = next_name(want, name))
		if (!is_known(name->text))
			find_no_rule(expected->job, name);
}

static void raise_finding(struct job *job, const struct node *name, struct finding *finding)
{
	const struct rule *rule = rule_find(finding->rule->name);

	if (!rule || !means(name->text, rule) || finding->severity == SEVERITY_ERROR)
		return;
	finding->severity = SEVERITY_ERROR;
	finding_relate(job->findings, finding, name->span, "expected to be clean of %s",
		       name->text);
}

static void find_skipped(struct job *job, const struct skips *skips, const struct node *name)
{
	size_t i;

	for (i = 0; i < skips->list.count; i++)
		if (means(name->text, skips->list.items[i].rule)) {
			expect_unjudged(job, name, "%s, for %s", skips->list.items[i].needs,
					skips->list.items[i].rule->id->name);
			return;
		}
}

void expect_raise(struct job *job, const struct skips *skips)
{
	const struct setting *expect = fact(job, FIELD_EXPECT);
	const struct node *want, *name;
	size_t i, count = job->findings->list.count;

	want = setting_known(expect) ? node_member(expect->node, "clean") : NULL;
	if (!want || want->kind == NODE_MAP)
		return;
	for (name = first_name(want); name; name = next_name(want, name)) {
		if (name->kind != NODE_SCALAR)
			continue;
		for (i = 0; i < count; i++)
			raise_finding(job, name, job->findings->list.items[i]);
		find_skipped(job, skips, name);
	}
}
