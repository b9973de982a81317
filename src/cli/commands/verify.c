#include "cli/command.h"
#include "cli/gather.h"
#include "cli/planned.h"
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

static int status_of(enum verdict_kind kind, bool accept)
{
	if (kind == VERDICT_INSUFFICIENT)
		return accept ? EXIT_CLEAN : EXIT_INSUFFICIENT;
	return kind == VERDICT_MATCH ? EXIT_CLEAN : EXIT_FINDINGS;
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	struct planned *run = arena_new(invocation->arena, struct planned);
	const struct verification all = { &run->observed, &run->verdict, &run->yardstick,
					  &run->measured };

	planned_read(invocation, "verify", &request->config, request->profile, run);
	if (request->config.format && !strcmp(request->config.format, "json"))
		report_verdict_json(&all, invocation->out);
	else
		report_verdict_text(&all, invocation->out, invocation->color, invocation->columns);
	return gather_status(&run->capture, "verify",
			     status_of(run->verdict.kind, request->accept));
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
