#include "rules/lost.h"
#include "rules/rule.h"

const struct rule_id rule_lost_in_conversion = {
	.name = "lost-in-conversion",
	.code = "K020",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_READ,
	.summary = "something that the framework converted to has no key for",
	.explanation =
		"`parplan convert --to` writes what the target's config can say. The setting named "
		"here is not in what was written: a job run from it differs from the one "
		"converted, "
		"or does not start.",
	.remedy = "Say it where the target wants it, or keep the framework that has it.",
	.source = "the keys of pytorch/torchtitan@v0.2.2, NVIDIA/Megatron-LM@d98e8a64, "
		  "huggingface/accelerate@16cb6eb8, pytorch/torchtune@bd2a0fc7",
};

/* Found by `parplan convert`. */
static const struct rule rules[] = {
	{ &rule_lost_in_conversion, NEEDS_NOTHING, NULL },
};

const struct ruleset ruleset_conversion = {
	"conversion",
	"Conversion: what another framework's config cannot say",
	rules,
	sizeof(rules) / sizeof(*rules),
};
