#include "rules/facts.h"

/* clang-format off */
static const struct rule rules[] = {
	{ &rule_hosts_unreadable, NEEDS_NOTHING, NULL },
	{ &rule_hosts_syntax, NEEDS_NOTHING, NULL },
	{ &rule_hosts_duplicate, NEEDS_NOTHING, NULL },
	{ &rule_hosts_too_few, NEEDS_NOTHING, NULL },
	{ &rule_hosts_slots, NEEDS_NOTHING, NULL },
};
/* clang-format on */

const struct ruleset ruleset_topology = {
	"topology",
	"Where ranks sit",
	rules,
	sizeof(rules) / sizeof(*rules),
};
