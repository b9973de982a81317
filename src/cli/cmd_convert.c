#include "cli/command.h"
#include "cli/delivery.h"
#include "framework/job.h"
#include "report/convert/native_yaml.h"
#include "framework/conversion.h"

#include <string.h>

struct request {
	struct config_request config;
	const char *to, *output, *fail_on;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "to", "TARGET", "native"
#define X(name) "|" #name
#include "targets.inc"
#undef X
	  ,
	  "in whose words; default native", offsetof(struct request, to) },
	{ OPT_TEXT, 'o', "output", "FILE", NULL, "write there; an existing file is left alone",
	  offsetof(struct request, output) },
	{ OPT_TEXT, 0, "fail-on", "SEVERITY", "error|warning|note|never",
	  "exit 1 from this severity on; default error", offsetof(struct request, fail_on) },
	CONFIG_OPTIONS(struct request),
	{ .kind = OPT_END },
};

/* What is lost goes to stderr, after the source's own errors. */
static void write_for(struct invocation *invocation, struct job *job, const char *to,
		      struct findings *lost, struct buf *text)
{
	struct settings *said;

	if (to && strcmp(to, "native") != 0) {
		convert(job, target_find(to), lost, text);
		return;
	}
	said = arena_new(invocation->arena, struct settings);
	job_said(job, said);
	report_native_yaml_whole(job, said, text);
	convert_native_losses(job, said, lost);
}

static bool fails(const struct findings *findings, const char *word)
{
	const size_t errors = findings_count(findings, SEVERITY_ERROR);
	const size_t warnings = findings_count(findings, SEVERITY_WARNING);

	if (word && !strcmp(word, "never"))
		return false;
	if (word && !strcmp(word, "note"))
		return findings->list.count > 0;
	if (word && !strcmp(word, "warning"))
		return errors + warnings > 0;
	return errors > 0;
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	struct findings lost, *found;
	struct job job;
	struct buf text;
	bool failed;

	config_job(invocation, "convert", &request->config, &job);
	if (!job.readable)
		return EXIT_FINDINGS;
	found = job.findings;
	findings_init(&lost, invocation->arena);
	buf_init(&text);
	write_for(invocation, &job, request->to, &lost, &text);
	delivery_new(invocation, "convert", request->output, &text);
	buf_release(&text);
	config_stops(invocation, &job);
	failed = fails(found, request->fail_on) || fails(&lost, request->fail_on);
	job.findings = &lost;
	if (lost.list.count)
		config_complain(invocation, &job);
	return failed ? EXIT_FINDINGS : EXIT_CLEAN;
}

const struct command command_convert = {
	.name = "convert",
	.summary = "write a config in the words of another framework",
	.operands = "[FILE] [-- FLAGS...]",
	.details =
		"Any config that parplan reads becomes a native one, or one for another "
		"framework:\n"
		"native, torchtitan (TOML of the version it is judged by, else v0.2.2), megatron\n"
		"(arguments, as an array of the shell), accelerate (YAML of accelerate launch),\n"
		"torchtune (overrides KEY=VALUE of a recipe). Each line ends with a comment "
		"saying\n"
		"which key of which line it came from; derived values and defaults say so.\n\n"
		"What the target has no key for is a finding on stderr (lost-in-conversion): a\n"
		"warning, or a note for what is said elsewhere, as the batch in a script started "
		"by\n"
		"accelerate. --fail-on warning makes the exit status 1 for it. A source that its\n"
		"framework stops is written as it stands, and why it stops is on stderr, too.\n\n"
		"Degrees that are what is left of the world are written as numbers when --world\n"
		"is given. Values that nothing at hand resolves stay as comments, with the --set\n"
		"to give.",
	.examples = "  parplan convert plans/torchtitan-llama3-8b.toml\n"
		    "  parplan convert plans/hsdp-2x8.yaml --to torchtitan\n"
		    "  parplan convert plans/pp-1f1b-3d.yaml --to megatron",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
