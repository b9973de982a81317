#include "base/die.h"
#include "base/io.h"
#include "cli/command.h"
#include "cli/machine.h"
#include "framework/job.h"
#include "input/reader.h"
#include "report/forecast.h"
#include "report/report.h"

#include <string.h>

struct request {
	struct config_request config;
	const char *profile, *trace;
	bool collectives, memory;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to print it (default text)",
	  offsetof(struct request, config.format) },
	CONFIG_OPTIONS(struct request),
	{ OPT_TEXT, 0, "profile", "FILE", NULL, "numbers of your machine, over the presets",
	  offsetof(struct request, profile) },
	{ OPT_FLAG, 0, "collectives", NULL, NULL, "text: list the collectives of one step",
	  offsetof(struct request, collectives) },
	{ OPT_FLAG, 0, "memory-report", NULL, NULL,
	  "list memory by class of ranks and part, when it peaks, what would save some",
	  offsetof(struct request, memory) },
	{ OPT_TEXT, 0, "trace", "FILE", NULL,
	  "write a timeline for Perfetto or chrome://tracing ('-': instead of the forecast)",
	  offsetof(struct request, trace) },
	{ .kind = OPT_END },
};

/* A user's profile file, or NULL when none is given. */
static const struct source *read_numbers(const struct invocation *invocation, const char *path)
{
	struct io_text text;

	if (!path)
		return NULL;
	text = io_read(invocation->arena, path, READER_BYTES);
	if (!text.text)
		die("sim: cannot read '%s': %s", path, text.error);
	return source_new(invocation->arena, path, text.text, text.length);
}

/* Writes the timeline to its file, whole or not at all; true: to stdout, in place of all else. */
static bool write_trace(const struct invocation *invocation, const char *path,
			const struct job *job, const struct forecast *forecast)
{
	const char *error;
	struct buf out;

	if (!path)
		return false;
	if (!strcmp(path, "-")) {
		report_forecast_trace(job, forecast, invocation->out);
		return true;
	}
	buf_init(&out);
	report_forecast_trace(job, forecast, &out);
	error = io_write(invocation->arena, path, out.data, out.length);
	buf_release(&out);
	if (error)
		die("sim: cannot write '%s': %s", path, error);
	return false;
}

static int sim_run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	struct forecast forecast;
	struct job job = { 0 };
	const char *missing;
	bool errors;

	errors = config_job(invocation, "sim", &request->config, &job);
	if (!job.readable)
		return EXIT_FINDINGS;
	missing = forecast_read(&forecast, &job, read_numbers(invocation, request->profile));
	if (missing)
		die("sim: %s", missing);
	if (!errors)
		machine_complain("sim", job.findings); /* of the profile file */
	if (write_trace(invocation, request->trace, &job, &forecast))
		return errors ? EXIT_FINDINGS : EXIT_CLEAN;
	if (request->config.format && !strcmp(request->config.format, "json")) {
		report_forecast_json(&forecast, request->memory, invocation->out);
		return errors ? EXIT_FINDINGS : EXIT_CLEAN;
	}
	report_forecast_text(&job, &forecast, invocation->out, invocation->color,
			     invocation->columns);
	if (request->memory)
		report_memory_text(&forecast, invocation->out, invocation->color);
	if (request->collectives)
		report_traffic_text(&forecast, invocation->out, invocation->color);
	return errors ? EXIT_FINDINGS : EXIT_CLEAN;
}

const struct command command_sim = {
	.name = "sim",
	.summary = "forecast step time and memory, and how far off they may be",
	.operands = "FILE [-- FLAGS...]",
	.details =
		"Forecasts one training step: seconds with an interval, where they go, model "
		"FLOPs\n"
		"utilisation, and the memory of the rank that holds most. Costs come from the\n"
		"kernels of a transformer block on the device, NCCL's choice of algorithm over "
		"the\n"
		"links that each group crosses, and what the framework of that version keeps,\n"
		"recomputes and overlaps. The device, the model, the sequence length and the "
		"number\n"
		"of ranks must be known. What the config leaves open widens the interval.\n\n"
		"--memory-report lists what is in memory when each class of ranks (first, middle\n"
		"and last stage) holds most, and simulates changes that would make it less; with\n"
		"--format json it adds memory over the step.\n\n"
		"--trace writes the simulated step as a timeline in Chrome's trace-event format,\n"
		"which ui.perfetto.dev opens.\n\n"
		"docs/accuracy.md holds forecasts against published measurements.",
	.examples = "  parplan sim plans/hsdp-2x8.yaml\n"
		    "  parplan sim --set cluster.gpu=h200 --format json plans/hsdp-2x8.yaml\n"
		    "  parplan sim --memory-report plans/pp-interleaved-405b.yaml\n"
		    "  parplan sim --trace step.json plans/pp-interleaved-405b.yaml",
	.options = options,
	.request_size = sizeof(struct request),
	.run = sim_run,
};
