#include "base/die.h"
#include "cli/command.h"
#include "report/report.h"
#include "rules/judge.h"

#include <stdio.h>
#include <string.h>

struct request {
	struct config_request config;
	struct texts expect, ignore, warn, error;
	const char *fail_on;
	bool quiet;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", NULL, "how to report: text (default), json",
	  offsetof(struct request, config.format) },
	CONFIG_OPTIONS(struct request),
	{ OPT_TEXTS, 0, "expect", "KEY=VALUE", NULL,
	  "expect this, as a line of expect: would (repeatable)",
	  offsetof(struct request, expect) },
	{ OPT_TEXTS, 0, "ignore", "RULE,...", NULL, "drop the findings of these rules",
	  offsetof(struct request, ignore) },
	{ OPT_TEXTS, 0, "warn", "RULE,...", NULL, "make the findings of these rules warnings",
	  offsetof(struct request, warn) },
	{ OPT_TEXTS, 0, "error", "RULE,...", NULL, "make the findings of these rules errors",
	  offsetof(struct request, error) },
	{ OPT_TEXT, 0, "fail-on", "SEVERITY", "error|warning|note|never",
	  "exit 1 from this severity on; default error", offsetof(struct request, fail_on) },
	{ OPT_FLAG, 'q', "quiet", NULL, NULL, "text: only the findings that make it fail",
	  offsetof(struct request, quiet) },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0 },
};

/* "json, text": the names of all formats. */
static const char *format_names(struct arena *arena)
{
	const struct format *const *format;
	const char *names = "";

	for (format = formats; *format; format++)
		names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "", (*format)->name);
	return names;
}

static const struct format *chosen_format(struct arena *arena, const char *name)
{
	const struct format *format = format_find(name ? name : "text");
	const char *near;

	if (format)
		return format;
	near = format_nearest(arena, name);
	if (near)
		die("check: unknown format '%s'; did you mean '%s'?", name, near);
	die("check: unknown format '%s'; there are %s", name, format_names(arena));
}

static void add_levels(struct arena *arena, struct levels *levels, const char *option,
		       const struct texts *names, enum level level)
{
	const char *error;
	size_t i;

	for (i = 0; i < names->count; i++) {
		error = levels_add(levels, arena, names->items[i], level);
		if (error)
			die("check: --%s: %s", option, error);
	}
}

static void add_expectations(struct arena *arena, struct overrides *overrides,
			     const struct texts *texts)
{
	size_t i;

	for (i = 0; i < texts->count; i++) {
		if (!strchr(texts->items[i], '='))
			die("check: --expect takes KEY=VALUE, not '%s'", texts->items[i]);
		vec_push(arena, &overrides->expects, texts->items[i]);
	}
}

static enum severity failing(const char *word)
{
	if (!word || !strcmp(word, "error") || !strcmp(word, "never"))
		return SEVERITY_ERROR;
	return !strcmp(word, "warning") ? SEVERITY_WARNING : SEVERITY_NOTE;
}

/* Reads, judges and reports one file; false after a message when it could not be opened. */
static bool check_file(struct report *report, const struct format *format, const char *path,
		       const struct overrides *overrides, const struct levels *levels,
		       struct buf *out)
{
	struct checked file = { 0 };
	struct findings findings;
	struct arena arena;
	struct job job;
	const char *error;

	arena_init(&arena);
	findings_init(&findings, &arena);
	error = job_read(&job, &arena, path, overrides, &findings);
	if (error) {
		fprintf(stderr, "parplan: %s\n", error);
	} else {
		file.path = job.document.source->path;
		file.job = &job;
		file.findings = &findings;
		judge(levels, &job, &file.skips);
		report_file(report, format, &file, out);
	}
	arena_release(&arena);
	return !error;
}

/* The files to check; a command line after "--" alone stands for a job without a file. */
static const char *const *operand_paths(const struct invocation *invocation, size_t *count)
{
	static const char *const none[] = { NULL };

	*count = invocation->operands.count;
	if (*count)
		return invocation->operands.items;
	if (!invocation->operands.rest_count)
		die("check: no file given (parplan check FILE..., '-' reads stdin)");
	*count = 1;
	return none;
}

static int verdict(const struct report *report, const char *fail_on, bool trouble)
{
	if (trouble)
		return EXIT_TROUBLE;
	if (fail_on && !strcmp(fail_on, "never"))
		return EXIT_CLEAN;
	return report_fails(&report->totals, report->failing) ? EXIT_FINDINGS : EXIT_CLEAN;
}

static int run(struct invocation *invocation, void *memory)
{
	const struct request *request = memory;
	struct arena *arena = invocation->arena;
	const struct format *format = chosen_format(arena, request->config.format);
	struct report report = { .arena = arena,
				 .color = invocation->color,
				 .columns = invocation->columns,
				 .quiet = request->quiet,
				 .failing = failing(request->fail_on) };
	struct levels levels = { 0 };
	struct overrides overrides;
	const char *const *paths;
	bool trouble = false;
	size_t count, i;

	config_overrides(invocation, &request->config, &overrides);
	add_expectations(arena, &overrides, &request->expect);
	add_levels(arena, &levels, "ignore", &request->ignore, LEVEL_IGNORE);
	add_levels(arena, &levels, "warn", &request->warn, LEVEL_WARN);
	add_levels(arena, &levels, "error", &request->error, LEVEL_ERROR);
	paths = operand_paths(invocation, &count);
	report.count = count;
	format->begin(&report, invocation->out);
	for (i = 0; i < count; i++)
		if (!check_file(&report, format, paths[i], &overrides, &levels, invocation->out))
			trouble = true;
	format->end(&report, invocation->out);
	return verdict(&report, request->fail_on, trouble);
}

const struct command command_check = {
	.name = "check",
	.summary = "what will go wrong: findings with line, cause and fix",
	.operands = "FILE... [-- FLAGS...]",
	.details = "Reads configs (native YAML or a framework's own files), derives what the job "
		   "will\n"
		   "do under the given or inferred versions, and reports where that differs from "
		   "what\n"
		   "is asked for. What follows \"--\" is the framework's own command line: "
		   "overrides, or\n"
		   "a whole `torchrun ... train.py ...` line, from which the world size comes, "
		   "too.\n\n"
		   "A comment `# parplan: ignore=RULE` silences a rule on its line or the next "
		   "one.\n\n"
		   "Exit status: 0 no finding at or above --fail-on; 1 findings; 2 a file could "
		   "not be\n"
		   "read or an option is wrong.",
	.examples = "  parplan check plans/hsdp-2x8.yaml\n"
		    "  parplan check --format json --world 16 plans/hsdp-2x8.yaml",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
