#include "framework/job.h"
#include "framework/torch/custom.h"
#include "input/compose/composition.h"
#include "input/field.h"
#include "input/settings/hf_model.h"
#include "input/compose/interpolation.h"
#include "input/keys.h"
#include "framework/version.h"
#include "plan/model.h"
#include "rules/rule.h"

/* All of these are found while keys and values are decoded and the job is put together. */
static const struct rule rules[] = {
	{ &rule_unknown_key, NEEDS_NOTHING, NULL },
	{ &rule_renamed_key, NEEDS_NOTHING, NULL },
	{ &rule_wrong_type, NEEDS_NOTHING, NULL },
	{ &rule_bad_word, NEEDS_NOTHING, NULL },
	{ &rule_out_of_range, NEEDS_NOTHING, NULL },
	{ &rule_unknown_flag, NEEDS_NOTHING, NULL },
	{ &rule_quoted_number, NEEDS_NOTHING, NULL },
	{ &rule_schema_version, NEEDS_NOTHING, NULL },
	{ &rule_foreign_config, NEEDS_NOTHING, NULL },
	{ &rule_unknown_model, NEEDS_NOTHING, NULL },
	{ &rule_unsized_model, NEEDS_NOTHING, NULL },
	{ &rule_incomplete_model, NEEDS_NOTHING, NULL },
	{ &rule_world_out_of_range, NEEDS_NOTHING, NULL },
	{ &rule_world_not_cluster, NEEDS_NOTHING, NULL },
	{ &rule_mesh_smaller_than_world, NEEDS_NOTHING, NULL },
	{ &rule_misspelt_key, NEEDS_NOTHING, NULL },
	{ &rule_two_precisions, NEEDS_NOTHING, NULL },
	{ &rule_recompute_ignored, NEEDS_NOTHING, NULL },
	{ &rule_unresolved_value, NEEDS_NOTHING, NULL },
	{ &rule_circular_reference, NEEDS_NOTHING, NULL },
	{ &rule_absent_parent, NEEDS_NOTHING, NULL },
	{ &rule_unknown_version, NEEDS_NOTHING, NULL },
};

const struct ruleset ruleset_keys = {
	"keys",
	"Keys, values and versions",
	rules,
	sizeof(rules) / sizeof(*rules),
};
