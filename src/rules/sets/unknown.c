#include "base/buf.h"
#include "input/axis.h"
#include "input/field.h"
#include "input/launch/launch.h"
#include "input/launch/form.h"
#include "rules/facts.h"
#include "rules/launches.h"

#include <ctype.h>
#include <string.h>

/* What nothing at hand says: it is said to be unknown, with what would settle it. */

/* Where the launch names what it starts, else the file as a whole. */
static struct span place_of(const struct job *job)
{
	const struct launch *launch = job->document.launch;

	if (launch && span_known(launch->program_span))
		return launch->program_span;
	return source_span(job->document.source, 0, 0);
}

static void report_unsaid(const struct rule *rule, struct job *job)
{
	const char *known = launch_known(job->document.launch);
	struct finding *finding;

	finding =
		finding_add(job->findings, rule->id, place_of(job),
			    "strategy and degrees are not known: no file or option says what %.80s "
			    "does with its ranks",
			    job->unsaid);
	if (known)
		finding_consequence(job->findings, finding,
				    "it belongs to %s, which parplan recognises but does not model",
				    known);
	finding_fix(job->findings, finding,
		    "name the config that it reads, with this line behind '--': parplan check "
		    "CONFIG -- torchrun ...; or say it: --set parallelism.dp_shard=N, "
		    "--set parallelism.dp_replicate=N");
}

/* The reason why an axis is not known; NULL where it is. */
static const char *reason(const struct job *job, int i)
{
	return i < AXES && setting_unresolved(&job->settings, axes[i])
		       ? fact(job, axes[i])->unresolved
		       : NULL;
}

/* "tp ($1), cp, ep (the recipe decides)"; *first: one that has a place, or the first. */
static const char *list_open(const struct job *job, const struct setting **first)
{
	const char *text = "", *why;
	int i;

	*first = NULL;
	for (i = AXIS_DP_REPLICATE; i < AXES; i++) {
		const struct setting *axis = fact(job, axes[i]);
		why = reason(job, i);
		if (!why)
			continue;
		text = arena_join(job->arena, text, *text ? ", " : "", axis_name(axes[i]));
		if (!reason(job, i + 1) || strcmp(reason(job, i + 1), why) != 0)
			text = arena_printf(job->arena, "%s (%.60s)", text, why);
		if (!*first || (!span_known((*first)->span) && span_known(axis->span)))
			*first = axis;
	}
	return text;
}

static void check_parallelism(const struct rule *rule, struct job *job)
{
	const struct setting *first;
	const char *open;
	struct finding *finding;

	if (job->document.no_job)
		return;
	if (job->unsaid) {
		report_unsaid(rule, job);
		return;
	}
	open = list_open(job, &first);
	if (!*open)
		return;
	finding = finding_add(job->findings, rule->id,
			      span_known(first->span) ? first->span : place_of(job),
			      job->applied->unmodelled
				      ? "not known: %s; so data parallelism (dp) and the strategy "
					"are open, and no group is laid out"
				      : "not known: %s; nothing is claimed of groups of experts",
			      open);
	finding_fix(job->findings, finding,
		    "give the value: --set %s=N, or --env NAME=VALUE where a variable has it",
		    field_of(first->field)->key);
}

/* The number of the launch that a variable has, of which nothing at hand says what it is. */
static const struct setting *open_number(const struct job *job)
{
	static const enum field_id fields[] = { FIELD_LAUNCH_NODES, FIELD_LAUNCH_PER_NODE,
						FIELD_LAUNCH_PROCESSES, FIELD_LAUNCH_TASKS };
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (setting_unresolved(&job->settings, fields[i]))
			return fact(job, fields[i]);
	return NULL;
}

static void report_open_number(const struct rule *rule, struct job *job,
			       const struct setting *number)
{
	struct finding *finding;

	finding = finding_add(
		job->findings, rule->id, number->span,
		"the number of ranks is not known: no file or option says what %.80s is "
		"(%s)",
		number->unresolved, field_of(number->field)->key);
	if (number->unresolved[0] == '$' && isalpha((unsigned char)number->unresolved[1]))
		finding_fix(job->findings, finding, "give it: --env %s=VALUE, or --world N",
			    number->unresolved + 1);
	else
		finding_fix(job->findings, finding, "give the number of ranks: --world N");
}

static void check_world(const struct rule *rule, struct job *job)
{
	const struct launch *launch = job->document.launch;
	const struct setting *number = open_number(job);
	struct finding *finding;

	if (job->world || job->document.no_job ||
	    (!job->document.shell && !job->document.dialect->starts))
		return;
	if (number) {
		report_open_number(rule, job, number);
		return;
	}
	finding = finding_add(job->findings, rule->id,
			      launch && span_known(launch->world_span) ? launch->world_span
								       : place_of(job),
			      "how many ranks start is not known: nothing here fixes nodes and "
			      "processes");
	finding_fix(job->findings, finding, "give the number of ranks: --world N");
}

static void check_sharing(const struct rule *rule, struct job *job)
{
	struct finding *finding;

	if (!job->document.sharing_open || job->document.no_job || job->world == 1)
		return;
	finding = finding_add(job->findings, rule->id, place_of(job),
			      "who shares the model is not known: %s", job->document.sharing_open);
	finding_consequence(job->findings, finding,
			    "It is judged as if every rank held all of the model.");
	finding_fix(job->findings, finding,
		    "name what starts it, with its file, behind '--': parplan check FILE -- "
		    "LAUNCHER --config_file F SCRIPT");
}

static void check_job(const struct rule *rule, struct job *job)
{
	if (job->document.no_job)
		finding_add(job->findings, rule->id, place_of(job), "not a training job: %s",
			    job->document.no_job);
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "parallelism-unknown",
		.code = "U101",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "strategy or degrees are not known",
		.explanation =
			"A launch line says how many ranks there are, but seldom what the program "
			"does with them; a degree may depend on a variable, a branch or a missing "
			"file. parplan assumes no value: it lays out no groups and skips the "
			"rules that need the degree.",
		.remedy = "Give what decides it: the config with the launch line behind --, "
			  "--env, or --set.",
		.source = "parplan's own principle: what nothing says is unknown",
	  },
	  NEEDS_NOTHING, check_parallelism },
	{ &(const struct rule_id){
		.name = "world-unknown",
		.code = "U102",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "a launch file does not fix how many ranks start",
		.explanation =
			"Without the numbers of nodes and processes parplan lays out no groups "
			"and skips the rules that need the world size.",
		.remedy = "Give --world N, or the variables by --env NAME=VALUE.",
		.source = "parplan's own principle: what nothing says is unknown",
	  },
	  NEEDS_NOTHING, check_world },
	{ &(const struct rule_id){
		.name = "sharing-unknown",
		.code = "U107",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_READ,
		.summary = "what starts the job may say who shares the model, and is not here",
		.explanation =
			"Trainers that share nothing by themselves leave it to what starts them: one "
			"launcher repeats the model on every rank, the config file of another "
			"shares it. parplan judges the job as if nobody shared the model, and says "
			"so.",
		.remedy = "Give the launch line behind --, or the file that the launcher reads.",
		.source = "huggingface/accelerate@16cb6eb8 commands/launch.py, "
			  "_validate_launch_command; huggingface/transformers@v4.57.0 trainer.py, "
			  "create_accelerator_and_postprocess",
	  },
	  NEEDS_NOTHING, check_sharing },
	{ &rule_not_a_job, NEEDS_NOTHING, check_job },
	{ &rule_config_absent, NEEDS_NOTHING, NULL },
	{ &rule_outside, NEEDS_NOTHING, NULL },
	{ &rule_launch_not_judged, NEEDS_NOTHING, NULL },
};
/* clang-format on */

const struct ruleset ruleset_unknown = {
	"unknown",
	"What is not known",
	rules,
	sizeof(rules) / sizeof(*rules),
};
