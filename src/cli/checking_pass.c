#include "cli/checking.h"

#include "base/die.h"
#include "base/io.h"
#include "base/path.h"
#include "cli/baselines.h"
#include "cli/delivery.h"
#include "cli/meter.h"
#include "cli/recognised.h"
#include "cli/watch.h"
#include "evidence/folder.h"
#include "framework/inputs.h"
#include "input/launch/launch.h"
#include "report/findings/catalogue.h"
#include "rules/judge.h"
#include "rules/project.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

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

void checking_levels(const struct check_request *request, struct arena *arena,
		     struct levels *levels)
{
	add_levels(arena, levels, "ignore", &request->ignore, LEVEL_IGNORE);
	add_levels(arena, levels, "warn", &request->warn, LEVEL_WARN);
	add_levels(arena, levels, "error", &request->error, LEVEL_ERROR);
}

static enum severity failing(const char *word)
{
	if (!word || !strcmp(word, "error") || !strcmp(word, "never"))
		return SEVERITY_ERROR;
	return !strcmp(word, "warning") ? SEVERITY_WARNING : SEVERITY_NOTE;
}

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
	outward_say("%s is excluded (%s:%u)", path, by->span.source->path,
		    (unsigned int)by->span.line);
}

static void add_folder(struct pass *pass, const char *folder)
{
	struct recognised recognised = { .arena = pass->report.arena,
					 .overrides = &pass->checking->overrides,
					 .projects = &pass->projects,
					 .meter = pass->checking->invocation->meter,
					 .jobs = pass->checking->request->jobs,
					 .passed_over = pass->report.passed_over };
	size_t i;

	recognised_folder(&recognised, folder);
	pass->report.walked = true;
	pass->report.passed_over = recognised.passed_over;
	for (i = 0; i < recognised.configs.count; i++) {
		const char *path = recognised.configs.items[i];
		const struct target target = { path, projects_of(&pass->projects, path) };
		vec_push(pass->report.arena, &pass->targets, target);
	}
	if (pass->checking->watch)
		watch_add(pass->checking->watch, folder);
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
	pass->report.strict = project_is_strict(project, pass->checking->request->strict,
						pass->checking->request->fail_on);
	if (pass->report.strict && judged_of(file->job).status != JUDGED)
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
	checking_levels(checking->request, job->arena, &levels);
	judge_file(&levels, job, skips);
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
	const struct check_request *request = pass->checking->request;
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
		outward_say("%s", error);
		report_unread(&pass->report, target->path ? target->path : "<command line>", error);
	} else {
		file.path = job.document.source->path;
		file.job = &job;
		file.findings = &findings;
		judge_target(checking, target, &job, &file.skips);
		set_aside(pass, target, &job, &file.skips);
		report_checked(pass, &file, target->project, out);
		delivery_spare_job(checking->invocation, "check", &job);
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
	error = outward_write(pass->report.arena, path, &text, OUTWARD_TEXT, false);
	buf_release(&text);
	if (error)
		die("check: cannot write '%s': %s", path, error);
	return EXIT_CLEAN;
}

static struct report new_report(const struct checking *checking, struct arena *arena)
{
	const struct check_request *request = checking->request;
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
		report.columns = checking->invocation->file_columns;
	}
	return report;
}

int checking_pass(const struct checking *checking, struct arena *arena, struct buf *out)
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
		if (checking->paths[i] && folder_is(checking->paths[i]))
			add_folder(&pass, checking->paths[i]);
		else
			add_target(&pass, checking->paths[i]);
	report_all(&pass, out);
	if (!checking->watch)
		delivery_digest(&pass.report, checking->format);
	if (checking->request->write_baseline)
		return write_baseline(&pass);
	if (pass.report.unread.count)
		return EXIT_TROUBLE;
	if (!pass.report.done && checking->request->strict)
		return EXIT_FINDINGS;
	return pass.failed ? EXIT_FINDINGS : EXIT_CLEAN;
}
