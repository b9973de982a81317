#include "rules/settings_change.h"

#include "input/syntax/flow.h"

#include <string.h>

const struct rule_id rule_settings_change = {
	.name = "settings-change",
	.code = "X103",
	.severity = SEVERITY_NOTE,
	.evidence = EVIDENCE_RUN,
	.summary = "a pull request changes what it is judged by",
	.explanation =
		"`parplan ci` takes its policy (rules, ignore, exclude, baseline, fail-on, strict, "
		"and what configs expect) from the branch that a pull request goes into, so that "
		"no pull request passes by changing it; the change counts once it is merged. Facts "
		"(framework, cluster, world) are the pull request's own. parplan reports every "
		"change of either, and comments that silence a rule, for a reviewer to see.",
	.remedy = "Review it as you would a change of the check itself.",
	.source = "parplan's own",
};

static const char *text_of(struct arena *arena, const struct node *node)
{
	const char *text = "none";
	struct buf out;

	if (!node || node->kind == NODE_SCALAR)
		return node ? node->text : text; /* as written: "off" */
	buf_init(&out);
	flow_node(&out, node);
	text = arena_strdup(arena, out.data);
	buf_release(&out);
	return text;
}

static void report(const struct settings_change *change, const char *key, bool policy,
		   const struct node *before, const struct node *after)
{
	struct arena *arena = change->findings->arena;
	const char *old = text_of(arena, before), *new = text_of(arena, after);

	if (!strcmp(old, new))
		return;
	finding_add(change->findings, &rule_settings_change, after ? after->span : change->where,
		    "%s: %s -> %s%s", key, old, new,
		    policy ? arena_printf(arena, "; what %s says counts until this is merged",
					  change->base)
			   : ", for the configs as they are now");
}

static bool is_map(const struct node *node)
{
	return node && node->kind == NODE_MAP && node->first;
}

/* Maps are told member by member, everything else as a whole. */
static void compare(const struct settings_change *change, const char *key, bool policy,
		    const struct node *before, const struct node *after)
{
	struct arena *arena = change->findings->arena;
	const struct node *child;

	if (!(is_map(before) || is_map(after)) || (before && !is_map(before)) ||
	    (after && !is_map(after))) {
		report(change, key, policy, before, after);
		return;
	}
	for (child = before ? before->first : NULL; child; child = child->next)
		compare(change, arena_join(arena, key, ".", child->key), policy, child,
			node_member(after, child->key));
	for (child = after ? after->first : NULL; child; child = child->next)
		if (!node_member(before, child->key))
			compare(change, arena_join(arena, key, ".", child->key), policy, NULL,
				child);
}

void settings_changed(const struct settings_change *change, const struct node *before,
		      const struct node *after)
{
	const struct node *child;

	for (child = is_map(before) ? before->first : NULL; child; child = child->next)
		compare(change, child->key, project_is_policy(child->key), child,
			node_member(after, child->key));
	for (child = is_map(after) ? after->first : NULL; child; child = child->next)
		if (!node_member(before, child->key))
			compare(change, child->key, project_is_policy(child->key), NULL, child);
}

void expectations_changed(const struct settings_change *change, const struct node *before,
			  const struct node *after)
{
	compare(change, "expect", true, before, after);
}

void silence_added(const struct settings_change *change, const char *rule, struct span span)
{
	finding_add(change->findings, &rule_settings_change, span,
		    "a comment silences %s, which none did before", rule);
}
