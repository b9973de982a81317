#include "rules/baseline.h"
#include "rules/settings_change.h"

const struct rule_id rule_unused_suppression = {
	.name = "unused-suppression",
	.code = "X101",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_RUN,
	.summary = "a `# parplan: ignore=RULE` comment silences nothing",
	.explanation = "A comment that silences nothing hides the next real finding of that rule. "
		       "parplan does not report a comment for a rule that it could not check "
		       "because a fact is missing (no world size, no cluster).",
	.remedy = "Delete the comment, or correct the name of the rule.",
	.source = "parplan's own",
};

static const struct rule rules[] = {
	{ &rule_unused_suppression, NEEDS_NOTHING, NULL },
	{ &rule_stale_baseline, NEEDS_NOTHING, NULL },
	{ &rule_settings_change, NEEDS_NOTHING, NULL },
};

const struct ruleset ruleset_suppressions = {
	"suppressions",
	"Comments and baselines that silence findings",
	rules,
	sizeof(rules) / sizeof(*rules),
};
