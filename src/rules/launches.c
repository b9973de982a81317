#include "rules/launches.h"

#include "input/launch/launchers.h"
#include "input/launch/trainings.h"
#include "rules/interval.h"
#include "rules/judged.h"
#include "rules/rule.h"

#include <string.h>

enum { LAUNCHES = 32 }; /* so many are read, each as often as a file */

const struct rule_id rule_launch_not_judged = {
	.name = "launch-not-judged",
	.code = "U106",
	.severity = SEVERITY_NOTE,
	.evidence = EVIDENCE_DERIVED,
	.summary = "a script starts several trainings, and one of them is not judged",
	.explanation =
		"Plans and forecasts are those of one training, the last that is sure to run. Of "
		"the others errors and warnings are reported, too. Where one cannot be judged, "
		"nothing is known of its mistakes, and the script is judged only in part.",
	.remedy = "Give what the launch lacks, or check its config by itself.",
	.source = "parplan's own principle: green means looked at",
};

/* Another training of a job's script. */
struct other {
	const struct training *training;
	struct job job;
	struct findings findings;
};

/* What the command line launches stands for the script's own launches. */
static bool is_replaced(const struct job *job)
{
	const struct document *document = &job->document;

	return document->overrides->training || document->overrides->launcher ||
	       (document->launch && document->launch->source != document->source);
}

static bool read_other(struct job *job, struct other *other, size_t number)
{
	const struct document *document = &job->document;
	struct overrides *overrides = overrides_copy(job->arena, document->overrides);
	const char *path = document->source->path;

	overrides->training = number;
	if (!strcmp(path, "<stdin>")) {
		path = "-";
		overrides->text = document->source->text;
		overrides->in_folder = true;
	}
	findings_init(&other->findings, job->arena);
	return !job_read(&other->job, job->arena, path, overrides, &other->findings);
}

/* Whether something of the job, whichever launch it was found of, says the same. */
static bool is_said(const struct job *job, const struct finding *finding)
{
	size_t i;

	for (i = 0; i < job->findings->list.count; i++) {
		const struct finding *said = job->findings->list.items[i];
		if (said->rule == finding->rule && said->span.line == finding->span.line &&
		    said->span.column == finding->span.column)
			return true;
	}
	return false;
}

/* What is expected of the job (N) and of its comments (X) is not of each launch. */
static bool is_its_own(const struct finding *finding)
{
	return finding->severity > SEVERITY_NOTE && !strchr("NX", *finding->rule->code);
}

static void take_findings(struct job *job, const struct other *other)
{
	const struct span place = other->training->launch->program_span;
	size_t i;

	for (i = 0; i < other->findings.list.count; i++) {
		struct finding *finding = other->findings.list.items[i];
		if (!is_its_own(finding) || is_said(job, finding))
			continue;
		if (other->training->undecided)
			finding_cap(finding, SEVERITY_WARNING);
		if (span_known(place) && place.line != finding->span.line)
			finding_relate(job->findings, finding, place, "of this launch");
		finding->order = (uint32_t)job->findings->list.count;
		vec_push(job->findings->arena, &job->findings->list, finding);
	}
}

/* Says of a launch at its place what nobody looked at, and why. */
static void say_unjudged(struct job *job, const struct other *other, const struct judged *judged,
			 const struct judged_gap *gap)
{
	const struct launch *launch = other->training->launch;
	struct finding *finding;

	finding = finding_add(job->findings, &rule_launch_not_judged, launch->program_span,
			      "this launch of %.60s is %s",
			      launch->program ? launch_basename(launch->program) : "a program",
			      judged->status == JUDGED_NOT
				      ? arena_join(job->arena, "not judged: ", judged->why, "")
				      : "judged only in part");
	if (gap)
		finding_fix(job->findings, finding, "give %s", gap->needs);
	finding_actual(job->findings, finding, "not all mistakes of it can be seen");
}

/* Notes what is open of a launch, where that is more than of the job. */
static void take_open(struct job *job, struct other *other, const struct judged *own)
{
	const struct judged_gap *gap;
	struct judged judged;

	if (other->training->undecided || !other->training->sure || other->job.document.no_job)
		return;
	judged = judged_of(&other->job);
	gap = judged_lacks_more(own, &judged);
	if (judged.status <= own->status && !gap)
		return;
	say_unjudged(job, other, &judged, gap);
	vec_push(job->arena, &job->others, &other->job);
}

static void take(struct job *job, struct other *other)
{
	struct skips skips = { 0 };

	if (other->job.readable) {
		rules_run(&other->job, &skips);
		interval_apply(&other->job);
	}
	take_findings(job, other);
}

void launches_judge(struct job *job)
{
	struct trainings trainings;
	struct judged own;
	size_t i;

	if (!job->readable || !job->document.shell || is_replaced(job))
		return;
	trainings = trainings_of(&job->document);
	own = judged_of(job);
	for (i = 0; trainings.list.count > 1 && i < trainings.list.count && i < LAUNCHES; i++) {
		struct other *other = arena_new(job->arena, struct other);
		other->training = &trainings.list.items[i];
		if (!read_other(job, other, i + 1))
			continue;
		take(job, other);
		take_open(job, other, &own);
	}
}
