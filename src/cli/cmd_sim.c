#include "base/die.h"
#include "base/json.h"
#include "cli/command.h"
#include "sim/interval.h"
#include "sim/memory.h"
#include "sim/step.h"

#include <string.h>

struct request {
	struct config_request config;
	const char *profile;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to print it (default text)",
	  offsetof(struct request, config.format) },
	CONFIG_OPTIONS(struct request),
	{ OPT_TEXT, 0, "profile", "FILE", NULL, "numbers of your machine, over the presets",
	  offsetof(struct request, profile) },
	{ .kind = OPT_END },
};

static void write_json(struct buf *out, const struct workload *work, const struct step *step,
		       double half, const struct memory *memory)
{
	const double gib = 1073741824.0;
	double tokens = (double)(work->microbatches * work->micro * work->dp) * (double)work->seq;
	struct json_writer json;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.sim/1");
	json_double(&json, "step_time_s", step->total);
	json_array(&json, "interval_s");
	json_double(&json, NULL, (1 - half) * step->total);
	json_double(&json, NULL, (1 + half) * step->total);
	json_array_end(&json);
	json_double(&json, "tokens_per_s_per_gpu", tokens / step->total / (double)work->world);
	json_object(&json, "time");
	json_double(&json, "compute", step->compute);
	json_double(&json, "tensor", step->tensor);
	json_double(&json, "expert", step->expert);
	json_double(&json, "data", step->data);
	json_double(&json, "bubble", step->bubble);
	json_double(&json, "optimizer", step->optimizer);
	json_object_end(&json);
	json_object(&json, "memory");
	json_double(&json, "peak_gib", memory->allocated / gib);
	json_double(&json, "reserved_gib", memory->reserved / gib);
	json_double(&json, "device_gib", memory->device / gib);
	json_double(&json, "capacity_gib", memory->capacity / gib);
	json_string(&json, "fits",
		    memory->high < 0.97 * memory->capacity  ? "yes"
		    : memory->low > 1.02 * memory->capacity ? "no"
							    : "tight");
	json_object_end(&json);
	json_object(&json, "parts");
	json_double(&json, "parameters", memory->parameters / gib);
	json_double(&json, "gradients", memory->gradients / gib);
	json_double(&json, "optimizer", memory->optimizer / gib);
	json_double(&json, "unsharded", memory->unsharded / gib);
	json_double(&json, "activations", memory->activations / gib);
	json_double(&json, "temporary", memory->temporary / gib);
	json_object_end(&json);
	json_object_end(&json);
	buf_char(out, '\n');
}

static int sim_run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	struct workload work;
	struct profile profile;
	struct memory memory;
	struct step step;
	struct job job = { 0 };
	const char *missing;

	config_job(invocation, "sim", &request->config, &job);
	if (!job.readable)
		return EXIT_FINDINGS;
	missing = workload_profile(&profile, &job);
	if (!missing)
		missing = workload_read(&work, &profile, &job);
	if (missing)
		die("sim: %s", missing);
	step = step_cost(&profile, &work);
	memory = memory_cost(&profile, &work);
	write_json(invocation->out, &work, &step, interval_half_width(&profile, &work, &step),
		   &memory);
	return EXIT_CLEAN;
}

const struct command command_sim = {
	.name = "sim",
	.summary = "forecast step time and memory",
	.operands = "FILE [-- FLAGS...]",
	.details = "Forecasts.",
	.examples = "  parplan sim plans/hsdp-2x8.yaml",
	.options = options,
	.request_size = sizeof(struct request),
	.run = sim_run,
};
