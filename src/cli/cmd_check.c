#include "base/die.h"
#include "base/io.h"
#include "base/path.h"
#include "cli/baselines.h"
#include "cli/command.h"
#include "cli/delivery.h"
#include "cli/meter.h"
#include "cli/projects.h"
#include "cli/watch.h"
#include "framework/inputs.h"
#include "input/launch.h"
#include "report/catalogue.h"
#include "report/report.h"
#include "rules/judge.h"
#include "rules/project.h"
#include "version.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Columns of a report in a file, whatever the terminal's. */
enum { FILE_COLUMNS = 80 };

struct request {
	struct config_request config;
	struct texts expect, ignore, warn, error;
	const char *fail_on, *baseline, *write_baseline, *output;
	bool silenced, explain_all, watch;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", NULL,
	  "how to report: text (default), gcc, github, gitlab, json, junit, markdown, rdjson, "
	  "sarif",
	  offsetof(struct request, config.format) },
	{ OPT_TEXT, 'o', "output", "FILE", NULL,
	  "write the report there, whole or not at all, instead of to stdout",
	  offsetof(struct request, output) },
	CONFIG_OPTIONS(struct request),
	{ OPT_TEXTS, 0, "expect", "WHAT=VALUE", NULL,
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
	{ OPT_TEXT, 0, "baseline", "FILE", NULL,
	  "findings in this file are known: only others count",
	  offsetof(struct request, baseline) },
	{ OPT_TEXT, 0, "write-baseline", "FILE", NULL,
	  "write all findings of these configs there, and exit 0",
	  offsetof(struct request, write_baseline) },
	{ OPT_FLAG, 0, "show-ignored", NULL, NULL,
	  "sarif: ignored findings, too, marked as suppressed",
	  offsetof(struct request, silenced) },
	{ OPT_FLAG, 0, "explain-all", NULL, NULL,
	  "text: say of every rule that fired what is behind it",
	  offsetof(struct request, explain_all) },
	{ OPT_FLAG, 0, "watch", NULL, NULL, "check again whenever a file changes, until Ctrl-C",
	  offsetof(struct request, watch) },
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

static void add_options(struct arena *arena, struct levels *levels, const struct request *request)
{
	add_levels(arena, levels, "ignore", &request->ignore, LEVEL_IGNORE);
	add_levels(arena, levels, "warn", &request->warn, LEVEL_WARN);
	add_levels(arena, levels, "error", &request->error, LEVEL_ERROR);
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

/* What the options and operands ask for; the same for every round of --watch. */
struct checking {
	struct invocation *invocation;
	const struct request *request;
	const struct format *format;
	struct overrides overrides;
	const char *const *paths;
	size_t count;
	struct watch *watch; /* NULL without --watch */
};

/* One config to check, and what its repository settles. */
struct target {
	const char *path; /* NULL: a launch line alone */
	const struct project *project;
};

/* One look at all files. */
struct pass {
	const struct checking *checking;
	struct report report;
	struct projects projects;
	struct baselines baselines;
	struct baseline_draft draft; /* --write-baseline */
	VEC(struct target) targets;
	VEC(const struct rule_id *) fired; /* each once, as they came */
	bool failed;			   /* something was found that makes it fail */
};

static void note_fired(struct pass *pass, const struct finding *finding)
{
	size_t i;

	if (pass->report.quiet && finding->severity < pass->report.failing)
		return;
	for (i = 0; i < pass->fired.count; i++)
		if (pass->fired.items[i] == finding->rule)
			return;
	vec_push(pass->report.arena, &pass->fired, finding->rule);
}

static void watch_inputs(const struct checking *checking, const struct job *job)
{
	struct inputs inputs = { 0 };
	size_t i;

	if (checking->watch)
		inputs_of_job(&inputs, job);
	for (i = 0; i < inputs.paths.count; i++)
		watch_add(checking->watch, inputs.paths.items[i]);
}

/* ---- which files ---- */

/* Said on stderr, since the file was named and nothing will be said of it. */
static void say_excluded(const struct checking *checking, const char *path,
			 const struct project_word *by)
{
	if (checking->request->config.quiet)
		return;
	fprintf(stderr, "parplan: %s is excluded (%s:%u)\n", path, by->span.source->path,
		(unsigned int)by->span.line);
}

static void add_target(struct pass *pass, const char *path)
{
	struct arena *arena = pass->report.arena;
	const struct launch *launch = path ? NULL : launch_parse(arena, &pass->checking->overrides);
	const char *config = launch ? launch->config_file : path;
	struct target target = { path, projects_of(&pass->projects, config) };
	const struct project_word *by;

	if (target.project && config && strcmp(config, "-") != 0 &&
	    project_excludes(target.project, arena, config, &by))
		say_excluded(pass->checking, config, by);
	else
		vec_push(arena, &pass->targets, target);
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

/* ---- one file ---- */

/* Reports what is ready, and whether it makes the command fail. */
static void report_checked(struct pass *pass, const struct checked *file,
			   const struct project *project, struct buf *out)
{
	const char *word = pass->checking->request->fail_on;
	struct totals totals = { findings_count(file->findings, SEVERITY_ERROR),
				 findings_count(file->findings, SEVERITY_WARNING),
				 findings_count(file->findings, SEVERITY_NOTE) };
	size_t i;

	if (!word && project)
		word = project->fail_on.text;
	pass->report.failing = failing(word);
	if (!(word && !strcmp(word, "never")) && report_fails(&totals, pass->report.failing))
		pass->failed = true;
	report_file(&pass->report, pass->checking->format, file, out);
	for (i = 0; i < file->findings->list.count; i++)
		note_fired(pass, file->findings->list.items[i]);
}

static void judge_target(const struct checking *checking, const struct target *target,
			 struct job *job, struct skips *skips)
{
	struct levels levels = { 0 };

	if (target->project)
		project_levels(target->project, job->arena, &levels);
	add_options(job->arena, &levels, checking->request);
	judge(&levels, job, skips);
}

/* What stands on its own and is no config: settings, a baseline. */
static void report_text(struct pass *pass, struct findings *findings, const struct source *text,
			const struct project *project, struct buf *out)
{
	struct source source = *text;
	struct job unread = { .arena = findings->arena, .findings = findings };
	struct checked file = { .path = source.path, .job = &unread, .findings = findings };

	if (pass->checking->watch)
		watch_add(pass->checking->watch, source.path);
	unread.document.source = &source;
	if (findings->list.count)
		report_checked(pass, &file, project, out);
}

/* What of the baselines is out of date. */
static void report_stale(struct pass *pass, struct buf *out)
{
	struct findings findings;
	size_t i;

	for (i = 0; i < pass->baselines.list.count; i++) {
		findings_init(&findings, pass->report.arena);
		baseline_stale(pass->baselines.list.items[i], &findings);
		pass->report.count += findings.list.count > 0;
		report_text(pass, &findings, pass->baselines.list.items[i]->source, NULL, out);
	}
}

/* Takes out what is known; with --write-baseline everything is noted, and nothing taken out. */
static void set_aside(struct pass *pass, const struct target *target, struct job *job,
		      const struct skips *skips)
{
	const struct request *request = pass->checking->request;
	const char *path = job->document.source->path;
	struct baseline *baseline;

	if (request->write_baseline) {
		baseline_draft_add(&pass->draft, job, path);
		return;
	}
	baseline = baselines_of(&pass->baselines, request->baseline, target->project);
	if (baseline)
		pass->report.known += baseline_filter(baseline, job, path, skips);
}

/* Reads, judges and reports one file. */
static void check_file(struct pass *pass, const struct target *target, struct buf *out)
{
	const struct checking *checking = pass->checking;
	struct overrides overrides = checking->overrides;
	struct checked file = { 0 };
	struct findings findings;
	struct arena arena;
	struct job job;
	const char *error;

	arena_init(&arena);
	findings_init(&findings, &arena);
	overrides.project = target->project;
	error = job_read(&job, &arena, target->path, &overrides, &findings);
	if (error) {
		meter_clear(checking->invocation->meter);
		fprintf(stderr, "parplan: %s\n", error);
		report_unread(&pass->report, target->path ? target->path : "<command line>", error);
	} else {
		file.path = job.document.source->path;
		file.job = &job;
		file.findings = &findings;
		judge_target(checking, target, &job, &file.skips);
		set_aside(pass, target, &job, &file.skips);
		report_checked(pass, &file, target->project, out);
		watch_inputs(checking, &job);
	}
	arena_release(&arena);
}

static void explain_fired(const struct checking *checking, const struct pass *pass, struct buf *out)
{
	const struct style style = { pass->report.color, pass->report.columns };
	const struct rule *rule;
	size_t i;

	for (i = 0; checking->request->explain_all && i < pass->fired.count; i++) {
		rule = rule_find(pass->fired.items[i]->name);
		if (out->length)
			buf_char(out, '\n');
		if (rule)
			catalogue_explain(rule, &style, out);
	}
}

static void report_all(struct pass *pass, struct buf *out)
{
	const struct checking *checking = pass->checking;
	const struct projects *projects = &pass->projects;
	size_t i;

	pass->report.count = pass->targets.count;
	for (i = 0; i < projects->list.count; i++)
		pass->report.count += projects->list.items[i]->findings.list.count > 0;
	checking->format->begin(&pass->report, out);
	for (i = 0; i < projects->list.count; i++)
		report_text(pass, &projects->list.items[i]->findings,
			    projects->list.items[i]->source, projects->list.items[i], out);
	for (i = 0; i < pass->targets.count; i++) {
		meter_step(checking->invocation->meter, i, pass->targets.count);
		check_file(pass, &pass->targets.items[i], out);
	}
	report_stale(pass, out);
	checking->format->end(&pass->report, out);
	explain_fired(checking, pass, out);
}

/* The baseline of what was found: whole, or as it was when a file could not be read. */
static int write_baseline(struct pass *pass)
{
	const char *path = pass->checking->request->write_baseline, *error;
	struct buf text;

	if (pass->report.unread.count)
		die("check: '%s' is not written: not every config could be read", path);
	buf_init(&text);
	baseline_write(&pass->draft, &text);
	error = io_write(pass->report.arena, path, text.data, text.length);
	buf_release(&text);
	if (error)
		die("check: cannot write '%s': %s", path, error);
	return EXIT_CLEAN;
}

static struct report new_report(const struct checking *checking, struct arena *arena)
{
	const struct request *request = checking->request;
	const char *color = request->config.color;
	struct report report = { .arena = arena,
				 .color = checking->invocation->color,
				 .columns = checking->invocation->columns,
				 .quiet = request->config.quiet,
				 .failing = failing(request->fail_on),
				 .silenced = request->silenced,
				 .version = VERSION };

	if (request->output) {
		report.color = color && !strcmp(color, "always");
		report.columns = FILE_COLUMNS;
	}
	return report;
}

/* Looks at all files once and writes the report; returns the exit status. */
static int check_all(const struct checking *checking, struct arena *arena, struct buf *out)
{
	struct pass pass = { .checking = checking,
			     .report = new_report(checking, arena),
			     .projects = { .arena = arena, .request = &checking->request->config },
			     .baselines = { .arena = arena } };
	size_t i;

	pass.draft.arena = arena;
	if (checking->request->write_baseline)
		pass.draft.folder = path_folder(arena, checking->request->write_baseline);
	for (i = 0; i < checking->count; i++)
		add_target(&pass, checking->paths[i]);
	report_all(&pass, out);
	if (!checking->watch)
		delivery_digest(&pass.report, checking->format);
	if (checking->request->write_baseline)
		return write_baseline(&pass);
	if (pass.report.unread.count)
		return EXIT_TROUBLE;
	return pass.failed ? EXIT_FINDINGS : EXIT_CLEAN;
}

/* ---- --watch ---- */

/* Erases the screen and goes home (ECMA-48, ED and CUP). */
#define CLEAR_SCREEN "\033[2J\033[H"

/* Makes room for a report where somebody looks on; NULL, or why it cannot be written. */
static const char *clear_screen(struct arena *arena)
{
	if (!isatty(STDOUT_FILENO))
		return NULL;
	return io_write(arena, "-", CLEAR_SCREEN, strlen(CLEAR_SCREEN));
}

/* Writes one report, and on a terminal what comes next. */
static const char *show(const struct checking *checking, struct arena *arena, struct buf *out)
{
	const char *path = checking->request->output;

	if (path)
		return io_write(arena, path, out->data, out->length);
	if (isatty(STDOUT_FILENO) && !checking->request->config.quiet)
		buf_printf(out, "\nwaiting for %zu file%s to change; Ctrl-C ends\n",
			   checking->count, checking->count == 1 ? "" : "s");
	return io_write(arena, "-", out->data, out->length);
}

/* One report after the other, until the reader is gone: Ctrl-C ends the program where it waits. */
static int check_and_watch(struct checking *checking)
{
	struct invocation *invocation = checking->invocation;
	struct arena arena;
	const char *error = NULL;
	size_t i;

	checking->watch = arena_new(invocation->arena, struct watch);
	watch_init(checking->watch, invocation->arena, true);
	for (i = 0; i < checking->count; i++)
		watch_add(checking->watch, checking->paths[i]);
	while (!error) {
		arena_init(&arena);
		error = clear_screen(&arena);
		buf_clear(invocation->out);
		check_all(checking, &arena, invocation->out);
		meter_stop(invocation->meter);
		if (!error)
			error = show(checking, &arena, invocation->out);
		if (error)
			fprintf(stderr, "parplan: cannot write to %s: %s\n",
				checking->request->output ? checking->request->output : "stdout",
				error);
		else
			watch_wait(checking->watch, -1);
		arena_release(&arena);
	}
	watch_release(checking->watch);
	buf_clear(invocation->out);
	return EXIT_TROUBLE;
}

static void refuse_watching(const struct checking *checking)
{
	size_t i;

	if (checking->request->write_baseline)
		die("check: --write-baseline writes once; leave --watch out");
	for (i = 0; i < checking->count; i++)
		if (!checking->paths[i] || !strcmp(checking->paths[i], "-"))
			die("check: --watch needs files by name: stdin and a command line do not "
			    "change");
}

static int run(struct invocation *invocation, void *memory)
{
	const struct request *request = memory;
	struct arena *arena = invocation->arena;
	struct checking checking = { .invocation = invocation, .request = request };
	struct levels unused = { 0 }; /* names of rules are wrong before anything is read */
	int status;

	checking.format = chosen_format(arena, request->config.format);
	if (request->explain_all && strcmp(checking.format->name, "text") != 0)
		die("check: --explain-all goes with --format text; parplan rules --format json has "
		    "the explanations");
	config_overrides(invocation, &request->config, &checking.overrides);
	add_expectations(arena, &checking.overrides, &request->expect);
	add_options(arena, &unused, request);
	checking.paths = operand_paths(invocation, &checking.count);
	delivery_refuse(request->output, checking.paths, checking.count);
	if (!request->watch) {
		status = check_all(&checking, arena, invocation->out);
		delivery_write(invocation, request->output);
		return status;
	}
	refuse_watching(&checking);
	return check_and_watch(&checking);
}

const struct command command_check = {
	.name = "check",
	.summary = "what will go wrong: findings with line, cause and fix",
	.operands = "FILE... [-- FLAGS...]",
	.details =
		"Reads configs (native YAML or a framework's own files), derives what the job "
		"will\n"
		"do under the given or inferred versions, and reports where that differs from "
		"what\n"
		"is asked for. What follows \"--\" is the framework's own command line: "
		"overrides, or\n"
		"a whole `torchrun ... train.py ...` line, from which the world size comes, "
		"too.\n\n"
		"A comment `# parplan: ignore=RULE` silences a rule on its line or the next "
		"one.\n"
		"The nearest .parplan.yaml, in the config's folder or above within its "
		"repository,\n"
		"sets defaults (docs/ci.md): options win over the config, the config over it.\n\n"
		"With --watch the files are looked at again whenever one changes, or a file "
		"that\n"
		"was read with them: requirements.txt, pyproject.toml and uv.lock beside "
		"them,\n"
		"the project's settings, the hosts, the checkpoint.\n\n"
		"Exit status: 0 no finding at or above --fail-on; 1 findings; 2 a file could "
		"not be\n"
		"read or an option is wrong.",
	.examples = "  parplan check plans/hsdp-2x8.yaml\n"
		    "  parplan check --format json --world 16 plans/hsdp-2x8.yaml\n"
		    "  parplan check --explain-all plans/incidents/hsdp-collapse.yaml\n"
		    "  parplan check --format sarif --output /dev/null plans/hsdp-2x8.yaml",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
