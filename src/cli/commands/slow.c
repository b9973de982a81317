#include "cli/command.h"
#include "cli/gather.h"
#include "cli/planned.h"
#include "report/evidence/slow.h"

#include <string.h>

struct request {
	struct config_request config;
	const char *profile;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to print it (default text)",
	  offsetof(struct request, config.format) },
	CONFIG_OPTIONS(struct request),
	{ OPT_TEXT, 0, "profile", "FILE", NULL, "numbers of your machine, for the forecast",
	  offsetof(struct request, profile) },
	{ .kind = OPT_END },
};

static int run(struct invocation *invocation, void *data)
{
	static const int status[] = {
		[SLOW_WITHIN] = EXIT_CLEAN,
		[SLOW_SLOWER] = EXIT_FINDINGS,
		[SLOW_INSUFFICIENT] = EXIT_INSUFFICIENT,
	};
	const struct request *request = data;
	const struct style style = { invocation->color, invocation->columns };
	struct planned *run = arena_new(invocation->arena, struct planned);
	struct slow slow;

	planned_read(invocation, "slow", &request->config, request->profile, run);
	slow = slow_of(invocation->arena, &run->job, &run->observed, &run->yardstick,
		       &run->measured);
	if (request->config.format && !strcmp(request->config.format, "json"))
		report_slow_json(&run->observed, &slow, invocation->out);
	else
		report_slow_text(&run->observed, &slow, &style, invocation->out);
	return gather_status(&run->capture, "slow", status[slow.kind]);
}

const struct command command_slow = {
	.name = "slow",
	.summary = "why a run is slower than its forecast, cause by cause",
	.operands = "CONFIG EVIDENCE...",
	.details =
		"Holds the time of a step that logs or traces tell (what parplan verify reads)\n"
		"against the forecast of the config, and goes through what slows jobs down:\n"
		"another layout or batch than planned, recomputation that was not asked for,\n"
		"devices, links or a network below their rate, a rank that the others wait for,\n"
		"hosts that launch too slowly, batches that are not there, full memory. Each is\n"
		"simulated, on top of those that the evidence shows; causes are ranked by what\n"
		"they explain. Of what the evidence cannot tell it is said how much of it would\n"
		"explain the rest.\n\n"
		"Exit status: 0 the step is within the forecast's interval, or quicker, 1 it is\n"
		"slower, 3 the evidence does not tell what a step takes or there is no forecast,\n"
		"2 neither could be read.",
	.examples = "  parplan slow plans/hsdp-2x8.yaml testdata/evidence/slow/steps.log\n"
		    "  parplan slow --format json plans/hsdp-2x8.yaml "
		    "testdata/evidence/slow/steps.log",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
	.starts = gather_unpacks,
};
