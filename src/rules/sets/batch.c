#include "base/number.h"
#include "framework/resume.h"
#include "rules/advice.h"
#include "rules/facts.h"
#include "rules/pinned.h"
#include "rules/raised.h"
#include "sim/workload/objective.h"

#include <inttypes.h>
#include <string.h>

/* The numbers that make a global batch; 0 for what the config does not say. */
struct batch {
	int64_t micro, accumulation, global;
	int64_t dp; /* data-parallel ranks: those that see other samples */
};

/* False where a trainer that is read counts in its own way (rule batch-size), and for unknown
 * degrees. */
static bool batch_of(const struct job *job, struct batch *batch)
{
	const struct degrees *d = &job->intended->degrees;
	const int64_t ulysses = setting_int(&job->settings, FIELD_ULYSSES, 1);

	if (trainer_of(job) || d->dp_replicate < 1 || d->dp_shard < 1)
		return false;
	batch->micro = setting_int(&job->settings, FIELD_MICRO_BATCH_SIZE, 0);
	if (!batch->micro)
		batch->micro = setting_int(&job->settings, FIELD_LOCAL_BATCH_SIZE, 0);
	batch->accumulation = setting_int(&job->settings, FIELD_GRADIENT_ACCUMULATION, 0);
	batch->global = setting_int(&job->settings, FIELD_GLOBAL_BATCH_SIZE, 0);
	batch->dp = multiply(d->dp_replicate, d->dp_shard);
	if (batch->global < 0)
		batch->global = 0;
	if (batch->micro < 0 || batch->accumulation < 0 || ulysses < 1 ||
	    multiply(batch->dp, multiply(d->tp, multiply(d->cp, d->pp))) != job->world ||
	    batch->dp % ulysses)
		return false;
	batch->dp /= ulysses; /* those that share a sample */
	return true;
}

static void relate_batch(struct job *job, struct finding *finding)
{
	relate_setting(job, finding, FIELD_GLOBAL_BATCH_SIZE);
	relate_setting(job, finding, FIELD_MICRO_BATCH_SIZE);
	relate_setting(job, finding, FIELD_LOCAL_BATCH_SIZE);
	relate_setting(job, finding, FIELD_GRADIENT_ACCUMULATION);
}

/* "accumulation 16" when the global batch is that multiple of the rest, else "". */
static const char *or_value(const struct job *job, const char *name, int64_t global, int64_t rest)
{
	if (rest < 1 || global % rest)
		return "";
	return arena_printf(job->arena, ", or %s %" PRId64, name, global / rest);
}

/* What each of the numbers would have to be for the others to hold. */
static void fix_triple(struct job *job, struct finding *finding, const struct batch *b)
{
	const int64_t product = multiply(multiply(b->micro, b->accumulation), b->dp);
	const char *never = "";

	if (b->global % b->dp)
		never = arena_printf(job->arena,
				     "; %" PRId64 " data-parallel ranks never reach %" PRId64
				     " (%" PRId64 " mod %" PRId64 " = %" PRId64 "), %s would",
				     b->dp, b->global, b->global, b->dp, b->global % b->dp,
				     divisors_text(job->arena, b->global));
	finding_fix(
		job->findings, finding, "use a global batch of %" PRId64 "%s%s%s%s", product,
		or_value(job, "gradient_accumulation_steps", b->global, multiply(b->micro, b->dp)),
		or_value(job, "a micro batch of", b->global, multiply(b->accumulation, b->dp)),
		or_value(job, "data-parallel ranks:", b->global,
			 multiply(b->micro, b->accumulation)),
		never);
	edit_setting(job, finding, fact(job, FIELD_GLOBAL_BATCH_SIZE), product);
}

/* What a framework of its own says of the numbers: their product, and the unit of the batch. */
static void quote_batch(const struct rule *rule, struct job *job, struct finding *finding,
			const struct batch *b, int64_t batch, int64_t unit)
{
	const int64_t steps = b->accumulation ? b->accumulation
					      : batch / multiply(b->dp, b->micro ? b->micro : 1);
	const struct exception_name values[] = {
		TELL("bs", batch),
		TELL("dp", b->dp),
		TELL("un", unit),
		TELL("ga", steps),
		TELL("pr", multiply(multiply(b->micro, steps), b->dp)),
		TELL(b->micro ? "mb" : "", b->micro),
		TELL_END,
	};

	quote_told(rule, job, finding, values);
}

/* True where a framework was seen to raise it, with its own numbers. */
static bool triple_raised(const struct job *job)
{
	const struct plan_error *error = job->applied ? job->applied->error : NULL;

	return error && error->rule && !strcmp(error->rule, "batch-triple");
}

/* The framework's own exception, and the ranks that the numbers are made for. */
static void check_raised_triple(const struct rule *rule, struct job *job)
{
	const int64_t global = setting_int(&job->settings, FIELD_GLOBAL_BATCH_SIZE, 0);
	const int64_t micro = setting_int(&job->settings, FIELD_MICRO_BATCH_SIZE, 0);
	const int64_t steps = setting_int(&job->settings, FIELD_GRADIENT_ACCUMULATION, 0);
	const int64_t part = multiply(micro > 0 ? micro : 1, steps > 0 ? steps : 1);
	struct finding *finding;

	finding = raised_finding(rule, job, "%s will not start: the batch does not come out even",
				 job->framework->name);
	if (global < 1 || global % part)
		return;
	if (micro > 0 && steps > 0)
		finding_fix(job->findings, finding,
			    "these numbers are made for %" PRId64 " data-parallel ranks",
			    global / part);
	else
		finding_fix(job->findings, finding,
			    "these numbers come out even on %s data-parallel ranks",
			    divisors_text(job->arena, global / part));
}

static void check_triple(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	struct batch b;
	int64_t product;

	if (!batch_of(job, &b) || !b.micro || !b.accumulation || !b.global) {
		if (triple_raised(job))
			check_raised_triple(rule, job);
		return;
	}
	product = multiply(multiply(b.micro, b.accumulation), b.dp);
	if (product == b.global || (job_counts_all(job) && !job_does(job, HABIT_ASSERTS_TRIPLE)))
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_GLOBAL_BATCH_SIZE)->span,
			      "micro batch %" PRId64 " * accumulation %" PRId64 " * %" PRId64
			      " data-parallel ranks = %" PRId64 ", not the global batch %" PRId64,
			      b.micro, b.accumulation, b.dp, product, b.global);
	relate_batch(job, finding);
	if (triple_raised(job))
		quote_raised(job, finding);
	else
		quote_batch(rule, job, finding, &b, b.global, b.dp);
	if (!finding->quote)
		finding_cap(finding, SEVERITY_WARNING);
	fix_triple(job, finding, &b);
}

static void check_counts_all(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	struct batch b;
	int64_t real, share;

	if (!batch_of(job, &b) || !job_counts_all(job))
		return;
	share = job->world / b.dp;
	real = job_sequences(job, b.dp, b.micro);
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_GLOBAL_BATCH_SIZE)->span,
			      "the global batch %" PRId64 " counts all %" PRId64
			      " ranks, but %" PRId64
			      " ranks (tp * cp * pp) share a sample: it is %" PRId64,
			      b.global, job->world, share, real);
	relate_batch(job, finding);
	relate_setting(job, finding, FIELD_TP);
	relate_setting(job, finding, FIELD_CP);
	finding_requested(job->findings, finding,
			  "%" PRId64 " * %" PRId64 " * %" PRId64 " = %s per step", b.micro,
			  b.accumulation, job->world, objective_samples(job->arena, job, b.global));
	finding_actual(job->findings, finding,
		       "%" PRId64 " * %" PRId64 " * %" PRId64 " = %s per step", b.micro,
		       b.accumulation, b.dp, objective_samples(job->arena, job, real));
	finding_fix(job->findings, finding,
		    "accumulate %" PRId64 " times, or write %" PRId64 " and fit the learning rate",
		    multiply(b.accumulation, share), real);
}

/* What the global batch must be a multiple of. */
static int64_t unit_of(const struct job *job, const struct batch *b)
{
	bool cuts = !job_does(job, HABIT_BATCH_OVER_RANKS);

	return multiply(b->dp, b->micro && cuts ? b->micro : 1);
}

/* What ends the plan in its own words, else what the framework prints later. */
static void quote_refusal(const struct rule *rule, struct job *job, struct finding *finding,
			  const struct batch *b, int64_t batch, int64_t unit)
{
	if (raised(rule, job) && job->applied->error)
		quote_raised(job, finding);
	else
		quote_batch(rule, job, finding, b, batch, unit);
}

static void check_remainder(const struct rule *rule, struct job *job)
{
	const struct setting *global = fact(job, FIELD_GLOBAL_BATCH_SIZE);
	/* one that was made of others counts answers, one that somebody gives prompts */
	const int64_t samples = global->origin == ORIGIN_DERIVED
					? 1
					: setting_int(&job->settings, FIELD_ROLLOUT_SAMPLES, 1);
	struct finding *finding;
	int64_t unit, batch;
	struct batch b;

	if (triple_raised(job) || !batch_of(job, &b) || !b.global || (b.accumulation && b.micro) ||
	    setting_known(fact(job, FIELD_RAMPUP_BATCH_SIZE)) ||
	    setting_bool(&job->settings, FIELD_DECREASE_BATCH, false))
		return;
	unit = unit_of(job, &b);
	batch = multiply(b.global, samples > 0 ? samples : 1);
	if (unit < 2 || batch % unit == 0)
		return;
	finding = finding_add(
		job->findings, rule->id, fact(job, FIELD_GLOBAL_BATCH_SIZE)->span,
		"the global batch %" PRId64 " is not a whole number of parts over %s%" PRId64
		" data-parallel ranks: %" PRId64 " mod %" PRId64 " = %" PRId64,
		batch,
		unit != b.dp ? arena_printf(job->arena, "micro batch %" PRId64 " * ", b.micro) : "",
		b.dp, batch, unit, batch % unit);
	relate_batch(job, finding);
	quote_refusal(rule, job, finding, &b, batch, unit);
	finding_actual(job->findings, finding,
		       "whole parts make %" PRId64 ", and %" PRId64 " samples are left over",
		       batch / unit * unit, batch % unit);
	if (!finding->quote)
		finding_cap(finding, SEVERITY_WARNING);
	unit /= common_divisor(unit, samples > 0 ? samples : 1);
	finding_fix(job->findings, finding, "use %s", multiples_around(job->arena, b.global, unit));
	edit_setting(job, finding, fact(job, FIELD_GLOBAL_BATCH_SIZE),
		     nearest_multiple(b.global, unit));
}

static void check_stages(const struct rule *rule, struct job *job)
{
	const struct setting *steps = fact(job, FIELD_GRADIENT_ACCUMULATION);
	const int64_t pp = degree_of(job, FIELD_PP), count = steps->integer;
	struct finding *finding;

	if (!job_does(job, HABIT_FILLS_PIPELINE) || !setting_known(steps) || count < 1 ||
	    count >= pp - 1 ||
	    strcmp(setting_text(&job->settings, FIELD_PP_SCHEDULE, "1F1B"), "1F1B") != 0)
		return;
	finding = finding_add(
		job->findings, rule->id, steps->span,
		"%" PRId64 " micro-batches (tokens.batch_accumulation_per_replica) do "
		"not fill 1F1B over %" PRId64 " stages: at least %" PRId64 " are needed",
		count, pp, pp - 1);
	relate_setting(job, finding, FIELD_PP);
	quote_told(rule, job, finding,
		   (const struct exception_name[]) { TELL("ga", count), TELL("st", pp - 1),
						     TELL_END });
	finding_fix(job->findings, finding,
		    "set batch_accumulation_per_replica to %" PRId64 " or more", pp);
	edit_setting(job, finding, steps, pp);
}

/* A framework's own files say whether there is an engine that generates: the applied plan knows. */
static bool has_rollout(const struct rule *rule, const struct job *job)
{
	return !job_says_all(job) || raised(rule, job);
}

/* The engine that generates is laid over the same ranks, in a grid of its own. */
static void check_rollout(const struct rule *rule, struct job *job)
{
	const struct setting *tp = fact(job, FIELD_ROLLOUT_TP);
	const struct version *runs = job_does(job, HABIT_ROLLOUT);
	const bool given = setting_known(tp);
	const int64_t degree = given ? tp->integer : 2; /* verl's rollout.yaml: HABIT_ROLLOUT */
	struct finding *finding;

	if ((!given && !runs) || (runs && !has_rollout(rule, job)) || degree < 1 ||
	    job->world % degree == 0)
		return;
	finding = finding_add(job->findings, rule->id, given ? tp->span : job->world_from->span,
			      "the rollout engine has tp %" PRId64
			      "%s, which does not divide the world of %" PRId64 " ranks: %" PRId64
			      " mod %" PRId64 " = %" PRId64,
			      degree,
			      given ? ""
				    : arena_printf(job->arena,
						   " (%s's default, rollout.tp is not given)",
						   runs->framework),
			      job->world, job->world, degree, job->world % degree);
	quote_told(rule, job, finding,
		   (const struct exception_name[]) { TELL("w", job->world), TELL("tp", degree),
						     TELL_END });
	finding_fix(job->findings, finding, "use rollout.tp %s",
		    divisors_text(job->arena, job->world));
	if (given)
		edit_setting(job, finding, tp, divisor_up_to(job->world, degree));
}

static void check_resumed(const struct rule *rule, struct job *job)
{
	const struct resume *resume = resume_of(job);
	int64_t before, now = samples_of(job);
	struct finding *finding;

	if (!resume || !resume->checkpoint->from)
		return;
	before = samples_of(resume->checkpoint->from);
	if (!before || !now || before == now)
		return;
	finding = finding_add(job->findings, rule->id, resume->checkpoint->span,
			      "the run that wrote the checkpoint trained %s per step, this one "
			      "trains %" PRId64,
			      objective_samples(job->arena, job, before), now);
	relate_batch(job, finding);
	relate_setting(job, finding, FIELD_DP_SHARD);
	relate_setting(job, finding, FIELD_DP_REPLICATE);
	finding_fix(job->findings, finding,
		    "set global_batch_size to %" PRId64
		    " to keep it, or fit the learning rate and its schedule",
		    before);
}

/* clang-format off */
static const struct rule rules[] = {
	{ &rule_deepspeed_mismatch, NEEDS_NOTHING, NULL },
	{ &(const struct rule_id){
		.name = "batch-triple",
		.code = "B101",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "micro batch * accumulation * data-parallel ranks is not the global batch",
		.explanation =
			"Two of the three numbers and the data-parallel ranks fix the third. "
			"Given all of them, DeepSpeed asserts that they agree, and so does the "
			"Trainer of transformers for its own arguments and the DeepSpeed file. A "
			"global batch that is not a multiple of the ranks is impossible.",
		.remedy = "Leave one of the numbers out, or make the product right.",
		.source = "deepspeed@edaa7221 runtime/config.py:938; "
			  "https://github.com/OpenRLHF/OpenRLHF/issues/346",
	  },
	  NEEDS_WORLD, check_triple },
	{ &(const struct rule_id){
		.name = "batch-remainder",
		.code = "B102",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the global batch leaves a remainder over the data-parallel ranks",
		.explanation =
			"Every data-parallel rank takes the same number of samples. Megatron, "
			"DeepSpeed, composer and verl refuse a global batch that leaves a "
			"remainder; older versions of composer and users' own scripts truncate it "
			"silently.",
		.remedy = "Use a multiple of micro batch * data-parallel ranks.",
		.source = "Megatron-LM@d98e8a64 core/num_microbatches_calculator.py:382; "
			  "https://github.com/mosaicml/examples/pull/41",
	  },
	  NEEDS_WORLD, check_remainder },
	{ &(const struct rule_id){
		.name = "batch-counts-all-ranks",
		.code = "B103",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "the global batch counts ranks that see the same samples",
		.explanation =
			"Ranks along tp, cp and pp work on the same samples. A global batch of "
			"micro batch * accumulation * world is too large by the factor tp * cp * "
			"pp; axolotl computed it this way before #3462.",
		.remedy = "Count the data-parallel ranks only.",
		.source = "https://github.com/axolotl-ai-cloud/axolotl/pull/3462",
	  },
	  NEEDS_WORLD, check_counts_all },
	{ &(const struct rule_id){
		.name = "accumulation-below-stages",
		.code = "B104",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "nanotron: fewer micro-batches than 1F1B has stages to fill",
		.explanation =
			"nanotron's 1F1B engine asserts at least pp - 1 micro-batches. "
			"tokens.batch_accumulation_per_replica sets their number; the message "
			"does not name this key.",
		.remedy = "Raise batch_accumulation_per_replica to pp.",
		.source = "https://github.com/huggingface/nanotron/issues/347",
	  },
	  NEEDS_OTHER, check_stages },
	{ &(const struct rule_id){
		.name = "rollout-degree",
		.code = "B105",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "tp of the rollout engine does not divide the world size",
		.explanation =
			"Reinforcement learning lays a second grid over the ranks, for the engine "
			"that generates. verl gives this grid tp 2 by default, and checks it only "
			"after everything has started.",
		.remedy = "Set rollout.tp to a divisor of the number of ranks.",
		.source = "verl@1dda039b workers/engine_workers.py:658; "
			  "https://github.com/volcengine/verl/issues/1191",
	  },
	  NEEDS_WORLD, check_rollout },
	{ &(const struct rule_id){
		.name = "batch-changes-on-resume",
		.code = "B106",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "the batch per step differs from the run that wrote the checkpoint",
		.explanation =
			"Without a global batch in the config, the batch per step follows the "
			"data-parallel ranks. A job resumed on another number of ranks therefore "
			"trains another batch per step, but its learning rate and its schedule, "
			"which counts steps, were chosen for the old one.",
		.remedy = "Fix the global batch, or fit the schedule.",
		.source = "arithmetic",
	  },
	  NEEDS_RESUME | NEEDS_WORLD, check_resumed },
};
/* clang-format on */

const struct ruleset ruleset_batch = {
	"batch",
	"Batches: what is trained in one step",
	rules,
	sizeof(rules) / sizeof(*rules),
};
