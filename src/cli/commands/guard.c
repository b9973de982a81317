#include "base/die.h"
#include "cli/command.h"
#include "report/guard/guard.h"
#include "rules/rule.h"

#include <string.h>

struct request {
	struct config_request config;
	const char *emit;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "emit", "FORM", "python|json",
	  "a Python module (default), or its facts as JSON", offsetof(struct request, emit) },
	CONFIG_OPTIONS(struct request),
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0 },
};

/* Dies when there is no plan that a job could be held to. */
static void require_plan(const struct job *job)
{
	if (!job->world)
		die("guard: the number of ranks is not known: give --world N, or cluster.nodes and "
		    "cluster.gpus_per_node");
	if (!job->applied || !job->applied->world)
		die("guard: nothing is known of how this job would be laid out; parplan check says "
		    "why");
	if (job->applied->unmodelled)
		die("guard: the layout of this job is not known: %s", job->applied->unmodelled_why);
}

/*
 * Over an interval of versions a layout other than the intended one is only warned of; no job
 * should be held to it.
 */
static bool is_other(const struct job *job)
{
	return differences_have(&job->differences, DIFFERENCE_STRATEGY) ||
	       differences_have(&job->differences, DIFFERENCE_SHARD_GROUP) ||
	       differences_have(&job->differences, DIFFERENCE_REPLICATE_GROUP);
}

static int guard_run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	struct skips skips = { { 0 } };
	struct job job = { 0 };

	if (config_job(invocation, "guard", &request->config, &job) || !job.readable)
		return EXIT_FINDINGS;
	rules_run(&job, &skips);
	if (findings_count(job.findings, SEVERITY_ERROR) || is_other(&job)) {
		config_complain(invocation, &job);
		return EXIT_FINDINGS;
	}
	require_plan(&job);
	if (request->emit && !strcmp(request->emit, "json")) {
		report_guard_json(&job, invocation->out, false);
		buf_char(invocation->out, '\n');
	} else {
		report_guard_python(&job, invocation->out);
	}
	return EXIT_CLEAN;
}

const struct command command_guard = {
	.name = "guard",
	.summary = "write a check that a training script runs before its first step",
	.operands = "FILE [-- FLAGS...]",
	.details =
		"Writes a Python module that holds a running job to the plan: the world size,\n"
		"the ranks of each mesh dimension, who shares and who repeats the parameters of\n"
		"each fully_shard call, and of a few parameters which part this rank has. Save\n"
		"it beside the script and call parplan_guard.check(model) on every rank when\n"
		"the model is parallelised. It needs torch alone, communicates nothing, and\n"
		"raises one AssertionError with all differences.\n\n"
		"A config with errors gets no guard, and neither does one whose groups are not\n"
		"those that it asks for: guard prints the findings, and the exit status is 1.",
	.examples = "  parplan guard plans/hsdp-2x8.yaml\n"
		    "  parplan guard --emit json plans/fsdp-tp-8x8.yaml",
	.options = options,
	.request_size = sizeof(struct request),
	.run = guard_run,
};
