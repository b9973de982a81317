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
	delivery_new(invocation, "convert", request->output, &text, OUTWARD_TEXT);
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
		"Any config that parplan reads becomes a native one, or one for another\n"
		"framework: native, torchtitan (TOML of the version it is judged by, else\n"
		"v0.2.2), megatron (arguments, as an array of the shell), accelerate (YAML of\n"
		"accelerate launch), torchtune (overrides KEY=VALUE of a recipe). Each line\n"
		"ends with a comment saying which key of which line it came from; derived\n"
		"values and defaults say so.\n\n"
		"A setting without a key in the target is a finding on stderr\n"
		"(lost-in-conversion): a warning, or a note for a setting that belongs\n"
		"elsewhere, as the batch in a script started by accelerate. --fail-on warning\n"
		"makes the exit status 1 for it. A source that its framework stops is written\n"
		"as it is, and stderr says why it stops.\n\n"
		"With --world, degrees that are inferred from the world size are written as\n"
		"numbers. A native config has what the framework's reader takes of its own accord\n"
		"below defaults:, and values that no file or option gives as unknown.",
	.examples = "  parplan convert plans/torchtitan-llama3-8b.toml\n"
		    "  parplan convert plans/hsdp-2x8.yaml --to torchtitan\n"
		    "  parplan convert plans/pp-1f1b-3d.yaml --to megatron",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
