#include "framework/job.h"
#include "framework/torch/custom.h"
#include "input/compose/composition.h"
#include "input/field.h"
#include "input/settings/hf_model.h"
#include "input/compose/interpolation.h"
#include "input/keys.h"
#include "framework/version.h"
#include "plan/model.h"
#include "rules/facts.h"
#include "rules/raised.h"
#include "rules/rule.h"

/* A global batch below none is none to a trainer that is read whole, and in a native config. */
static bool is_none(const struct job *job, const struct setting *setting)
{
	return setting->field == FIELD_GLOBAL_BATCH_SIZE && setting->integer < 0 &&
	       (trainer_of(job) || !job_says_all(job));
}

/* Sequences and micro-steps of which no framework says by a text of its own that they cannot be. */
static void check_range(const struct rule *rule, struct job *job)
{
	static const struct {
		enum field_id field;
		const char *why;
	} counts[] = {
		{ FIELD_MICRO_BATCH_SIZE, "nothing loads batches of no sequences" },
		{ FIELD_LOCAL_BATCH_SIZE, "nothing loads batches of no sequences" },
		{ FIELD_GLOBAL_BATCH_SIZE, "nothing loads batches of no sequences" },
		{ FIELD_GRADIENT_ACCUMULATION, "no step is made of no microbatches" },
	};
	struct decoder decoder = { job->arena, &job->settings, job->findings };
	const struct setting *setting;
	struct finding *finding;
	size_t i;

	(void)rule;
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		setting = fact(job, counts[i].field);
		if (!setting_given(setting) || !setting_known(setting) || setting->integer > 0 ||
		    raised_of(job, counts[i].field) || is_none(job, setting))
			continue;
		finding = field_out_of_range(&decoder, setting, "1..");
		if (finding)
			finding_actual(job->findings, finding, "%s", counts[i].why);
	}
}

/* Of these all but one are found while keys and values are decoded and the job is put together. */
static const struct rule rules[] = {
	{ &rule_unknown_key, NEEDS_NOTHING, NULL },
	{ &rule_renamed_key, NEEDS_NOTHING, NULL },
	{ &rule_wrong_type, NEEDS_NOTHING, NULL },
	{ &rule_bad_word, NEEDS_NOTHING, NULL },
	{ &rule_out_of_range, NEEDS_NOTHING | HOLDS_ALWAYS, check_range },
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
	{ &rule_unread_key, NEEDS_NOTHING, NULL },
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
