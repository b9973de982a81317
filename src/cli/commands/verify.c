#include "base/die.h"
#include "cli/command.h"
#include "cli/gather.h"
#include "cli/machine.h"
#include "framework/job.h"
#include "report/evidence/verify.h"

#include <string.h>

struct request {
	struct config_request config;
	const char *profile;
	bool accept;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to print it (default text)",
	  offsetof(struct request, config.format) },
	CONFIG_OPTIONS(struct request),
	{ OPT_TEXT, 0, "profile", "FILE", NULL, "numbers of your machine, for the forecast",
	  offsetof(struct request, profile) },
	{ OPT_FLAG, 0, "accept-insufficient", NULL, NULL,
	  "exit with 0 when the evidence is insufficient", offsetof(struct request, accept) },
	{ .kind = OPT_END },
};

/* The job of the first operand; its findings go to stderr, the verdict needs the plan alone. */
static void read_config(const struct invocation *invocation, const struct request *request,
			struct job *job)
{
	struct invocation alone = *invocation;
	const char *refused;

	alone.operands.count = 1;
	config_job(&alone, "verify", &request->config, job);
	if (!job->readable)
		die("verify: the config cannot be read");
	refused = verdict_refuses(job);
	if (refused)
		die("verify: %s", refused);
}

/* The forecast of the job as it ran; the evidence names the device where the config does not. */
static struct yardstick yardstick_of(struct invocation *invocation, const struct request *request,
				     const struct job *job, const struct capture *capture)
{
	struct forecast *forecast = arena_new(invocation->arena, struct forecast);
	const struct source *numbers =
		machine_numbers(invocation->arena, "verify", request->profile);
	struct yardstick yardstick = { 0 };

	yardstick.missing = forecast_read_on(forecast, job, job->applied, numbers, capture->device);
	if (numbers)
		machine_complain("verify", job->findings);
	yardstick.profile = forecast->profile.gpu ? &forecast->profile : NULL;
	yardstick.forecast = yardstick.missing ? NULL : forecast;
	yardstick.gpus_per_node = setting_int(&job->settings, FIELD_CLUSTER_GPUS_PER_NODE,
					      job->world < 8 ? job->world : 8);
	return yardstick;
}

static int status_of(enum verdict_kind kind, bool accept)
{
	if (kind == VERDICT_INSUFFICIENT)
		return accept ? EXIT_CLEAN : EXIT_INSUFFICIENT;
	return kind == VERDICT_MATCH ? EXIT_CLEAN : EXIT_FINDINGS;
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	const struct operands *operands = &invocation->operands;
	struct observed observed;
	struct verdict verdict;
	struct yardstick yardstick;
	struct measured measured;
	struct capture capture;
	struct job job = { 0 };
	const struct verification all = { &observed, &verdict, &yardstick, &measured };

	if (operands->count < 2)
		die("verify: a config and evidence are needed (parplan verify CONFIG EVIDENCE..., "
		    "'-' reads the config from stdin)");
	read_config(invocation, request, &job);
	gather_evidence(invocation, "verify", operands->items + 1, operands->count - 1, &capture);
	observed = observed_of(invocation->arena, &capture, job.intended);
	verdict = verdict_of(invocation->arena, &job, &observed);
	yardstick = yardstick_of(invocation, request, &job, &capture);
	yardstick.verdict = &verdict;
	measured = measured_of(invocation->arena, &observed, &yardstick);
	if (request->config.format && !strcmp(request->config.format, "json"))
		report_verdict_json(&all, invocation->out);
	else
		report_verdict_text(&all, invocation->out, invocation->color, invocation->columns);
	return status_of(verdict.kind, request->accept);
}

const struct command command_verify = {
	.name = "verify",
	.summary = "judge by evidence whether a run did what its config asks for",
	.operands = "CONFIG EVIDENCE...",
	.details = "Compares what a run left behind (see parplan observe --help) with the plan\n"
		   "that the degrees of the config mean, and says where the framework itself\n"
		   "builds another plan. Exit status: 0 the run is as planned, 1 it is not, 3 the\n"
		   "evidence is insufficient to decide (0 with --accept-insufficient), 2 there is\n"
		   "no verdict.\n\n"
		   "Where the device is known, by the config or the evidence, what was measured\n"
		   "(steps, memory, calls on each group) is printed beside the forecast, with the\n"
		   "causes of the largest deviations; --profile takes what parplan calibrate\n"
		   "wrote. A deviation is not a mismatch.\n\n"
		   "verify reports a mismatch only for what the evidence shows; missing evidence\n"
		   "is insufficient, and the output says what would decide it. Every claim names\n"
		   "the file and the record behind it.",
	.examples = "  parplan verify plans/hsdp-2x8.yaml testdata/evidence/hsdp-2x8\n"
		    "  parplan verify --format json plans/hsdp-2x8.yaml "
		    "testdata/evidence/hsdp-2x8/rank_0.json",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
	.starts = gather_unpacks,
};
