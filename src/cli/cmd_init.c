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

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	struct job job;
	struct buf text;
	bool errors = config_job(invocation, "init", &request->config, &job);

	if (!job.readable)
		return EXIT_FINDINGS;
	buf_init(&text);
	report_native_yaml(&job, &text);
	delivery_new(invocation, "init", request->output, &text);
	buf_release(&text);
	return errors ? EXIT_FINDINGS : EXIT_CLEAN;
}

const struct command command_init = {
	.name = "init",
	.summary = "write a native config from another config or a command line",
	.operands = "[FILE] [-- FLAGS...]",
	.details =
		"Everything that the config, its command line and the options give is written\n"
		"in native keys, each with a comment saying where it came from, under the\n"
		"versions it is judged by. What nobody said and the framework's own reader takes\n"
		"stands below defaults:, but for TorchTitan's, which follow from its version.\n"
		"Keys of the framework that have no native key stand below own:, and values that\n"
		"nothing at hand tells are the word unknown. The same plan and forecast come of\n"
		"it. What is wrong with the source is printed to stderr, and the exit status is 1\n"
		"when there is an error among it.",
	.examples = "  parplan init plans/torchtitan-llama3-8b.toml -o plan.yaml\n"
		    "  parplan init -- train.py --job.config_file "
		    "plans/torchtitan-llama3-8b.toml",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
