#include "input/document.h"
#include "input/layers.h"
#include "input/syntax/reader.h"
#include "input/recognition.h"
#include "input/suppress.h"
#include "rules/rule.h"

/* All of these are found while the text is read. */
static const struct rule rules[] = {
	{ &rule_syntax, NEEDS_NOTHING, NULL },
	{ &rule_duplicate_key, NEEDS_NOTHING, NULL },
	{ &rule_too_large, NEEDS_NOTHING, NULL },
	{ &rule_several_documents, NEEDS_NOTHING, NULL },
	{ &rule_unknown_dialect, NEEDS_NOTHING, NULL },
	{ &rule_several_dialects, NEEDS_NOTHING, NULL },
	{ &rule_bad_suppression, NEEDS_NOTHING, NULL },
	{ &rule_bad_override, NEEDS_NOTHING, NULL },
};

const struct ruleset ruleset_syntax = {
	"syntax",
	"Syntax: texts that cannot be read as asked",
	rules,
	sizeof(rules) / sizeof(*rules),
};
