#include "base/number.h"
#include "framework/wing.h"
#include "rules/facts.h"
#include "rules/raised.h"
#include "sim/workload/objective.h"

#include <inttypes.h>
#include <string.h>

/* Megatron makes some numbers fit: degrees of --yaml-cfg, which the command line would refuse. */

static void report(const struct rule *rule, struct job *job, enum field_id field, const char *name,
		   int64_t asked, int64_t got, const char *room)
{
	struct finding *finding;

	if (asked == got)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, field)->span,
			      "%s %" PRId64 " becomes %" PRId64 ", %s, and nothing is printed",
			      name, asked, got, room);
	finding_requested(job->findings, finding, "%s %" PRId64, name, asked);
	finding_actual(job->findings, finding, "%s %" PRId64 ", dp_replicate %" PRId64, name, got,
		       job->applied->degrees.dp_replicate);
	finding_fix(job->findings, finding,
		    "use %s %" PRId64 ", or run on more than %" PRId64 " ranks", name, got,
		    job->world);
}

static void check_clamped(const struct rule *rule, struct job *job)
{
	const struct degrees *asked = &job->intended->degrees, *got = &job->applied->degrees;

	if (!job->framework || !wing_does(wing_find(job->framework->name), HABIT_MEGATRON, NULL))
		return;
	report(rule, job, FIELD_TP, "tp", asked->tp, got->tp, "the ranks there are");
	report(rule, job, FIELD_PP, "pp", asked->pp, got->pp, "what tp leaves of the ranks");
}

/* core/num_microbatches_calculator.py _round, with --decrease-batch-size-if-needed. */
static void check_decreased(const struct rule *rule, struct job *job)
{
	const struct setting *global = fact(job, FIELD_GLOBAL_BATCH_SIZE);
	const int64_t micro = setting_int(&job->settings, FIELD_MICRO_BATCH_SIZE, 0);
	const struct degrees *d = &job->applied->degrees;
	const int64_t unit = multiply(micro, multiply(d->dp_replicate, d->dp_shard));
	struct finding *finding;

	if (!setting_bool(&job->settings, FIELD_DECREASE_BATCH, false) || !setting_known(global) ||
	    global->integer < 1 || unit < 1 || global->integer % unit == 0)
		return;
	finding = finding_add(job->findings, rule->id, global->span,
			      "the global batch %" PRId64 " is lowered to %" PRId64
			      ", the multiple below of %" PRId64 " * %" PRId64 " = %" PRId64,
			      global->integer, global->integer / unit * unit, micro, unit / micro,
			      unit);
	relate_setting(job, finding, FIELD_MICRO_BATCH_SIZE);
	finding_requested(job->findings, finding, "%s per step",
			  objective_samples(job->arena, job, global->integer));
	finding_actual(job->findings, finding, "%s per step%s",
		       objective_samples(job->arena, job, global->integer / unit * unit),
		       global->integer < unit ? ": the job stops, as there is no microbatch" : "");
	finding_fix(job->findings, finding, "use a multiple of %" PRId64, unit);
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "degree-clamped",
		.code = "D131",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "Megatron with --yaml-cfg lowers a degree to fit the world size",
		.explanation =
			"validate_yaml takes min(tp, world) and min(pp, world / tp) before it "
			"checks anything. A job started on fewer ranks than its config needs "
			"still runs, but with other degrees; on the command line the same degrees "
			"stop it.",
		.remedy = "Start as many ranks as the degrees need, or write the degrees you "
			  "want.",
		.source = "Megatron-LM@d98e8a64 training/yaml_arguments.py:58",
	  },
	  NEEDS_WORLD | NEEDS_OTHER | NEEDS_ATTEMPT, check_clamped },
	{ &(const struct rule_id){
		.name = "batch-lowered",
		.code = "B131",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_READ,
		.summary = "Megatron rounds the global batch down to a multiple of its parts",
		.explanation =
			"With --decrease-batch-size-if-needed Megatron rounds down a global batch "
			"that micro batch times data parallel does not divide. One line of rank "
			"0's log says so. The learning rate and the number of steps stay the "
			"same.",
		.remedy = "Write the batch you want, or change the number of ranks.",
		.source = "Megatron-LM@d98e8a64 core/num_microbatches_calculator.py:375",
	  },
	  NEEDS_WORLD | NEEDS_OTHER | NEEDS_APPLIED, check_decreased },
};
/* clang-format on */

const struct ruleset ruleset_clamped = {
	"clamped",
	"Numbers that a framework lowers by itself",
	rules,
	sizeof(rules) / sizeof(*rules),
};
