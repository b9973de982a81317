#include "cli/command.h"
#include "cli/delivery.h"
#include "framework/job.h"
#include "report/convert/native_yaml.h"

struct request {
	struct config_request config;
	const char *output;
};

static const struct opt options[] = {
	{ OPT_TEXT, 'o', "output", "FILE", NULL, "write there; an existing file is left alone",
	  offsetof(struct request, output) },
	CONFIG_OPTIONS(struct request),
	{ .kind = OPT_END },
};

/* A config of what trains nothing is written all the same: its launch is worth keeping. */
static void tell_no_job(const struct invocation *invocation, const struct job *job)
{
	const char *nothing = job_trains_nothing(job);
	struct buf out;

	if (!nothing || invocation->quiet)
		return;
	buf_init(&out);
	buf_printf(&out, "parplan: init: %s\n", nothing);
	outward_complain(&out);
	buf_release(&out);
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	struct job job;
	struct buf text;
	bool errors = config_job(invocation, "init", &request->config, &job);

	if (!job.readable)
		return EXIT_FINDINGS;
	tell_no_job(invocation, &job);
	buf_init(&text);
	report_native_yaml(&job, &text);
	delivery_new(invocation, "init", request->output, &text, OUTWARD_TEXT);
	buf_release(&text);
	return errors ? EXIT_FINDINGS : EXIT_CLEAN;
}

const struct command command_init = {
	.name = "init",
	.summary = "write a native config from another config or a command line",
	.operands = "[FILE] [-- FLAGS...]",
	.details = "Everything that the config, its command line and the options give is written\n"
		   "in native keys, each with a comment saying where it came from, under the\n"
		   "versions that parplan checks it against. Defaults of the framework's own\n"
		   "reader are below defaults:, except TorchTitan's, which follow from its\n"
		   "version. Keys of the framework that have no native key are below own:, and\n"
		   "values that no file or option gives are the word unknown. The new config has\n"
		   "the same plan and forecast. Findings of the source go to stderr, and the exit\n"
		   "status is 1 when one of them is an error.",
	.examples = "  parplan init plans/torchtitan-llama3-8b.toml -o plan.yaml\n"
		    "  parplan init -- train.py --job.config_file "
		    "plans/torchtitan-llama3-8b.toml",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
