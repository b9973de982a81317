#include "framework/conversion.h"
#include "rules/rule.h"

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
