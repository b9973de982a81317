#include "input/field.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

static const struct node *expectation(const struct job *job, const char *key)
{
	const struct setting *expect = fact(job, FIELD_EXPECT);

	return node_member(expect->node, key);
}

#define STRATEGIES "none|ddp|fsdp|hsdp|hsdp(ft)|fsdp(shard=1)|hsdp(shard=1)"

static void check_data_parallel(const struct rule *rule, struct job *job)
{
	const struct node *want = expectation(job, "data_parallel");
	const char *got = strategy_name(job->applied->dense.strategy);
	struct finding *finding;

	if (!want || want->kind != NODE_SCALAR || !strcmp(want->text, got))
		return;
	if (!words_have(STRATEGIES, want->text)) {
		struct decoder decoder = { job->arena, &job->settings, job->findings };
		field_bad_word(&decoder, STRATEGIES, "expect.data_parallel", want);
		return;
	}
	finding = finding_add(job->findings, rule->id, want->span, "expected %s, applied is %s",
			      want->text, got);
	relate_setting(job, finding, FIELD_DP_REPLICATE);
	relate_setting(job, finding, FIELD_DP_SHARD);
}

static const char *const axis_names[] = {
	"dp_replicate", "dp_shard", "cp", "tp", "pp", "ep", "etp"
};

static bool is_axis(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(axis_names) / sizeof(*axis_names); i++)
		if (!strcmp(name, axis_names[i]))
			return true;
	return false;
}

/* The groups of an axis by the name the native config gives it. */
static const struct layout *axis_layout(const struct job *job, const char *name)
{
	const struct sharding *dense = &job->applied->dense;
	const struct mesh *mesh = plan_mesh(job->applied, name);

	if (!strcmp(name, "dp_shard"))
		return dense->shard.modes ? &dense->shard : NULL;
	if (!strcmp(name, "dp_replicate"))
		return dense->replicate.modes ? &dense->replicate : NULL;
	return mesh ? &mesh->layout : NULL;
}

static void check_group(const struct rule *rule, struct job *job, const struct node *want)
{
	int64_t node = setting_int(&job->settings, FIELD_CLUSTER_GPUS_PER_NODE, 0);
	const struct layout *layout = axis_layout(job, want->key);
	struct finding *finding;
	bool within = !layout || layout_within(layout, node);

	if (want->kind != NODE_SCALAR || strcmp(want->text, "within-node") != 0 || within)
		return;
	finding = finding_add(job->findings, rule->id, want->span,
			      "expected %s within a node, but its groups of %" PRId64
			      " ranks cross nodes of %" PRId64 " GPUs",
			      want->key, layout_size(layout), node);
	finding_actual(job->findings, finding, "%s",
		       groups_text(job->arena, layout, job->world, 2));
	relate_setting(job, finding, FIELD_CLUSTER_GPUS_PER_NODE);
}

static void check_groups(const struct rule *rule, struct job *job)
{
	const struct node *groups = expectation(job, "groups"), *want;

	if (!groups || groups->kind != NODE_MAP)
		return;
	for (want = groups->first; want; want = want->next)
		check_group(rule, job, want);
}

#define OWN "the native config's expect: block"

static void find_unjudged(const struct rule *rule, struct job *job, const struct node *node,
			  const char *path, const char *why)
{
	finding_add(job->findings, rule->id,
		    span_known(node->key_span) ? node->key_span : node->span,
		    "nothing is held against %s%s: %s", path, node->key, why);
}

static void check_unjudged(const struct rule *rule, struct job *job)
{
	const struct node *expect = fact(job, FIELD_EXPECT)->node, *child;
	const struct node *groups = node_member(expect, "groups");

	for (child = expect->first; child && expect->kind == NODE_MAP; child = child->next)
		if (strcmp(child->key, "data_parallel") != 0 && strcmp(child->key, "groups") != 0)
			find_unjudged(rule, job, child, "expect.",
				      "check judges data_parallel and groups");
	if (!groups || groups->kind != NODE_MAP)
		return;
	for (child = groups->first; child; child = child->next)
		if (!is_axis(child->key))
			find_unjudged(rule, job, child, "expect.groups.", "no axis has that name");
		else if (child->kind != NODE_SCALAR || strcmp(child->text, "within-node") != 0)
			find_unjudged(rule, job, child, "expect.groups.",
				      "its value can only be within-node");
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "expect-data-parallel",
		.code = "N101",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "what is applied is not what expect.data_parallel says",
		.explanation =
			"expect: lines are assertions for CI. This one holds the strategy that "
			"is applied (none, ddp, fsdp, hsdp, ...) against a word.",
		.remedy = "Change the degrees or the expectation.",
		.source = OWN,
	  },
	  NEEDS_EXPECT | NEEDS_WORLD | NEEDS_APPLIED, check_data_parallel },
	{ &(const struct rule_id){
		.name = "expect-groups",
		.code = "N102",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "the groups of an axis cross nodes, expected within-node",
		.explanation =
			"Ranks are assumed to fill one node after the other (block order). An "
			"axis whose groups lie inside aligned blocks of gpus_per_node ranks "
			"stays on the fast links of a node.",
		.remedy = "Lower the degree, or put the axis further inside (tp innermost).",
		.source = OWN,
	  },
	  NEEDS_EXPECT | NEEDS_WORLD | NEEDS_CLUSTER | NEEDS_APPLIED, check_groups },
	{ &(const struct rule_id){
		.name = "expect-unjudged",
		.code = "N103",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_RUN,
		.summary = "an expectation that nothing is held against",
		.explanation =
			"An expectation that is not judged would pass for ever. check judges "
			"data_parallel and groups; forecasts of memory and speed need a "
			"simulation.",
		.remedy = "Remove the line, or correct its name.",
		.source = OWN,
	  },
	  NEEDS_EXPECT, check_unjudged },
};
/* clang-format on */

const struct ruleset ruleset_expect = {
	"expect",
	"Expectations written in the config",
	rules,
	sizeof(rules) / sizeof(*rules),
};
