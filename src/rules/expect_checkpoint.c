#include "rules/expect.h"

#include "framework/resume.h"
#include "rules/facts.h"
#include "rules/raised.h"

/* Expectations about the checkpoint that the job resumes from. */

/* "lr_scheduler, dataloader": components that the training script keeps as it likes; or "". */
static const char *open_components(const struct job *job, const struct resume *resume)
{
	const char *text = "";
	int i;

	for (i = 0; i < COMPONENTS; i++)
		if (resume->fates[i] == FATE_UNKNOWN)
			text = arena_printf(job->arena, "%s%s%s", text, *text ? ", " : "",
					    component_name((enum component)i));
	return text;
}

static void judge_component(const struct expected *expected, const struct resume *resume,
			    enum component component)
{
	const struct obstacle *obstacle = resume_obstacle(resume, component);
	struct job *job = expected->job;
	struct finding *finding;
	int i;

	if (!obstacle)
		return;
	finding = expect_failed(
		expected, expected->want, "expected the checkpoint to be compatible, but %s %s: %s",
		component_name(component), fate_name(obstacle->fate), obstacle->what);
	if (span_known(resume->checkpoint->span))
		finding_relate(job->findings, finding, resume->checkpoint->span, "this is resumed");
	for (i = 0; i < obstacle->because_count; i++)
		relate_setting(job, finding, obstacle->because[i]);
	if (obstacle->requested)
		finding_requested(job->findings, finding, "%s", obstacle->requested);
	if (obstacle->actual)
		finding_actual(job->findings, finding, "%s", obstacle->actual);
	if (obstacle->error) {
		finding_quote(job->findings, finding, "%s", obstacle->error);
		finding->speaker = speaker(job, obstacle->speaker);
	}
	if (obstacle->way)
		finding_fix(job->findings, finding, "%s", obstacle->way);
}

void expect_checkpoint(const struct expected *expected)
{
	struct job *job = expected->job;
	const struct resume *resume = resume_of(job);
	int i;

	if (!resume) {
		expect_unjudged(job, expected->want,
				"checkpoint.resume, which says what is loaded");
	} else if (resume->checkpoint->trouble) {
		expect_unjudged(job, expected->want, "a checkpoint that can be read: %s",
				resume->checkpoint->trouble);
	} else {
		if (*open_components(job, resume))
			expect_unjudged(job, expected->want,
					"a framework that says what it keeps of %s",
					open_components(job, resume));
		for (i = 0; i < COMPONENTS; i++)
			judge_component(expected, resume, (enum component)i);
	}
}
