#include "base/number.h"
#include "input/keys.h"
#include "rules/advice.h"
#include "rules/facts.h"
#include "rules/pinned.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* Trainers of answers that are preferred or rewarded, and the batches that they refuse. */

static void check_kto(const struct rule *rule, struct job *job)
{
	const struct setting *micro = fact(job, FIELD_MICRO_BATCH_SIZE);
	struct finding *finding;

	if (!job_does(job, HABIT_KTO_PAIRS) || !setting_known(micro) || micro->integer != 1 ||
	    strcmp(setting_text(&job->settings, FIELD_OBJECTIVE, ""), "kto") != 0)
		return;
	finding = finding_add(job->findings, rule->id, micro->span,
			      "KTO holds an answer against another one of its batch: it refuses "
			      "batches of one");
	relate_setting(job, finding, FIELD_OBJECTIVE);
	quote_told(rule, job, finding, (const struct exception_name[]) { TELL_END });
	finding_fix(job->findings, finding,
		    "take 2 or more per device; accumulation does not count");
	edit_setting(job, finding, micro, 2);
}

/* What a step generates answers for, all at once. */
struct generation {
	int64_t pass;	 /* answers that all ranks take in one pass */
	int64_t batch;	 /* answers that are generated together */
	int64_t answers; /* of a prompt */
};

/* A key of the framework's own that no setting stands for. */
static int64_t own_int(const struct job *job, const char *key)
{
	return keys_int(job_own(job), key, 0);
}

static bool generation_of(const struct job *job, struct generation *made)
{
	const struct setting *answers = fact(job, FIELD_ROLLOUT_SAMPLES);
	const int64_t micro = setting_int(&job->settings, FIELD_MICRO_BATCH_SIZE, 8);
	const int64_t steps = own_int(job, "steps_per_generation");

	if (!job_does(job, HABIT_GENERATION_BATCH) || job->world < 1 || !setting_known(answers) ||
	    setting_unresolved(&job->settings, FIELD_MICRO_BATCH_SIZE) ||
	    setting_unresolved(&job->settings, FIELD_GRADIENT_ACCUMULATION) || micro < 1)
		return false;
	made->answers = answers->integer;
	made->pass = multiply(micro, job->world);
	made->batch = own_int(job, "generation_batch_size");
	if (made->batch < 1)
		made->batch = multiply(
			made->pass,
			steps > 0 ? steps
				  : setting_int(&job->settings, FIELD_GRADIENT_ACCUMULATION, 1));
	return true;
}

static void check_generations(const struct rule *rule, struct job *job)
{
	const struct setting *answers = fact(job, FIELD_ROLLOUT_SAMPLES);
	struct generation made;
	struct finding *finding;
	const char *what;

	if (!generation_of(job, &made))
		return;
	if (made.answers < 2)
		what = arena_printf(job->arena,
				    "%" PRId64 " answer of a prompt has none beside it to be held "
				    "against: at least 2 are needed",
				    made.answers);
	else if (made.batch % made.pass)
		what = arena_printf(job->arena,
				    "generation_batch_size %" PRId64 " is not a whole number of "
				    "passes of %" PRId64 " answers",
				    made.batch, made.pass);
	else if (made.batch % made.answers)
		what = arena_printf(job->arena,
				    "%" PRId64 " answers are generated together, which are no "
				    "whole prompts of %" PRId64 " each: %" PRId64 " mod %" PRId64
				    " = %" PRId64,
				    made.batch, made.answers, made.batch, made.answers,
				    made.batch % made.answers);
	else
		return;
	finding = finding_add(job->findings, rule->id, answers->span, "%s", what);
	relate_setting(job, finding, FIELD_MICRO_BATCH_SIZE);
	relate_setting(job, finding, FIELD_GRADIENT_ACCUMULATION);
	quote_told(
		rule, job, finding,
		(const struct exception_name[]) {
			TELL_IF(made.answers < 2, "few", made.answers),
			TELL_IF(made.answers > 1 && made.batch % made.pass == 0, "gb", made.batch),
			TELL_IF(made.answers > 1 && made.batch % made.pass == 0, "ng",
				made.answers),
			TELL_IF(made.answers > 1 && made.batch % made.pass != 0, "ub", made.batch),
			TELL_IF(made.answers > 1 && made.batch % made.pass != 0, "ps", made.pass),
			TELL_END });
	finding_fix(job->findings, finding, "%s",
		    made.batch % made.pass
			    ? "give a multiple, or leave generation_batch_size out"
			    : "take a number of answers that divides them, or another batch");
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "kto-batch-of-one",
		.code = "B108",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "KTO with one answer per device",
		.explanation =
			"TRL's KTO estimates a divergence from answers that are paired with the "
			"prompts of others in the batch of one device. With one answer there is no "
			"other, and its constructor stops, whatever is accumulated. The loss "
			"apo_zero_unpaired needs no estimate and takes one.",
		.remedy = "Take two or more answers per device, and accumulate less.",
		.source = "huggingface/trl v0.12.0 to v1.16.0 trainer/kto_trainer.py "
			  "(experimental/kto from 0.27 to 1.7), KTOTrainer.__init__",
	  },
	  NEEDS_OTHER, check_kto },
	{ &(const struct rule_id){
		.name = "generations-uneven",
		.code = "B109",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "GRPO and RLOO: answers that are generated together are no whole prompts",
		.explanation =
			"Rewards are held against those of the same prompt's other answers. TRL "
			"generates per_device_train_batch_size * processes * "
			"steps_per_generation (gradient_accumulation_steps unless given) answers "
			"together, or generation_batch_size, and stops unless num_generations "
			"divides them.",
		.remedy = "Take a num_generations that divides them, or another batch.",
		.source = "huggingface/trl v0.17.0 trainer/grpo_trainer.py, v0.18.0 to v1.16.0 "
			  "trainer/grpo_config.py and rloo_config.py, __post_init__",
	  },
	  NEEDS_OTHER | NEEDS_WORLD, check_generations },
};
/* clang-format on */

const struct ruleset ruleset_answers = {
	"answers",
	"Batches of answers that are preferred or rewarded",
	rules,
	sizeof(rules) / sizeof(*rules),
};
