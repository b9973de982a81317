#include "rules/facts.h"

#include <inttypes.h>
#include <string.h>

/* Megatron's --yaml-cfg, which makes degrees fit where the command line would refuse them. */

static void report(const struct rule *rule, struct job *job, enum field_id field, const char *name,
		   int64_t asked, int64_t got, const char *room)
{
	struct finding *finding;

	if (asked == got)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, field)->span,
			      "%s %" PRId64 " becomes %" PRId64 ", %s, without a word", name, asked,
			      got, room);
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

	if (!job->framework || strcmp(job->framework->name, "megatron") != 0)
		return;
	report(rule, job, FIELD_TP, "tp", asked->tp, got->tp, "the ranks there are");
	report(rule, job, FIELD_PP, "pp", asked->pp, got->pp, "what tp leaves of the ranks");
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "degree-clamped",
		.code = "D131",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "Megatron's --yaml-cfg: a degree is lowered to what the world has room for",
		.explanation =
			"validate_yaml takes min(tp, world) and min(pp, world / tp) before it checks "
			"anything. A job started on fewer ranks than its config is made for runs all "
			"the same, with other degrees; from the command line the same degrees stop it.",
		.remedy = "Start as many ranks as the degrees want, or write the degrees that are meant.",
		.source = "Megatron-LM@d98e8a64 training/yaml_arguments.py:58",
	  },
	  NEEDS_WORLD | NEEDS_OTHER | NEEDS_ATTEMPT, check_clamped },
};
/* clang-format on */

const struct ruleset ruleset_clamped = {
	"clamped",
	"Degrees that a framework lowers by itself",
	rules,
	sizeof(rules) / sizeof(*rules),
};
