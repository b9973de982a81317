#include "base/die.h"
#include "base/io.h"
#include "cli/command.h"
#include "cli/delivery.h"
#include "cli/meter.h"
#include "cli/recognised.h"
#include "evidence/folder.h"
#include "report/web/web.h"
#include "rules/judge.h"
#include "rules/project.h"
#include "version.h"

#include <string.h>

struct request {
	struct config_request config;
	const char *output;
};

static const struct opt options[] = {
	{ OPT_TEXT, 'o', "output", "FILE", NULL,
	  "where to: report.html; - is stdout (must be given)", offsetof(struct request, output) },
	CONFIG_OPTIONS(struct request),
	{ .kind = OPT_END },
};

/* All that goes into one page. */
struct writing {
	struct web web;
	struct overrides overrides;
	struct projects projects;
	const struct invocation *invocation;
	bool errors;
};

static void judge_job(const struct project *project, struct job *job, struct skips *skips)
{
	struct levels levels = { 0 };

	if (project)
		project_levels(project, job->arena, &levels);
	judge(&levels, job, skips);
}

/* Reads, judges and writes one config; what it took goes again. */
static void write_file(struct writing *writing, const char *path)
{
	struct overrides overrides = writing->overrides;
	struct checked file = { 0 };
	struct findings findings;
	struct arena arena;
	struct job job;
	const char *error;

	arena_init(&arena);
	findings_init(&findings, &arena);
	overrides.project = projects_of(&writing->projects, path);
	error = job_read(&job, &arena, path, &overrides, &findings);
	if (error)
		die("report: %s", error);
	delivery_spare_job(writing->invocation, "report", &job);
	judge_job(overrides.project, &job, &file.skips);
	file.path = job.document.source->path;
	file.job = &job;
	file.findings = &findings;
	writing->errors |= findings_count(&findings, SEVERITY_ERROR) > 0;
	web_file(&writing->web, &file);
	arena_release(&arena);
}

/* The files that were named, and the configs of folders. */
static struct texts files_of(struct writing *writing)
{
	const struct operands *operands = &writing->invocation->operands;
	struct recognised recognised = { .arena = writing->web.arena,
					 .overrides = &writing->overrides,
					 .projects = &writing->projects,
					 .meter = writing->invocation->meter };
	struct texts files = { 0 };
	size_t i, j;

	for (i = 0; i < operands->count; i++) {
		recognised.configs.count = 0;
		if (folder_is(operands->items[i]))
			recognised_folder(&recognised, operands->items[i]);
		else
			vec_push(writing->web.arena, &files, operands->items[i]);
		for (j = 0; j < recognised.configs.count; j++)
			vec_push(writing->web.arena, &files, recognised.configs.items[j]);
	}
	writing->web.passed_over = recognised.passed_over;
	return files;
}

/* The page on stdout, or in its file: whole, or as that was. */
static void deliver(const struct invocation *invocation, const char *path, const struct buf *page)
{
	const char *error;

	if (!strcmp(path, "-")) {
		buf_bytes(invocation->out, page->data, page->length);
		return;
	}
	error = outward_write(invocation->arena, path, page, OUTWARD_TEXT, false);
	if (error)
		die("report: cannot write '%s': %s", path, error);
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	struct writing writing = { .invocation = invocation,
				   .web = { .arena = invocation->arena, .version = VERSION },
				   .projects = { .arena = invocation->arena,
						 .request = &request->config } };
	struct buf body, page;
	struct texts paths;
	size_t i;

	if (!invocation->operands.count)
		die("report: no file given (parplan report FILE... -o report.html)");
	if (!request->output)
		die("report: where to? (-o report.html, or -o - for stdout)");
	config_overrides(invocation, &request->config, &writing.overrides);
	buf_init(&body);
	buf_init(&page);
	writing.web.body = &body;
	paths = files_of(&writing);
	for (i = 0; i < paths.count; i++) {
		meter_step(invocation->meter, i, paths.count);
		write_file(&writing, paths.items[i]);
	}
	web_page(&writing.web, &page);
	deliver(invocation, request->output, &page);
	buf_release(&page);
	buf_release(&body);
	return writing.errors ? EXIT_FINDINGS : EXIT_CLEAN;
}

const struct command command_report = {
	.name = "report",
	.summary = "one web page: findings, plan, figures, forecast, settings",
	.operands = "FILE|FOLDER... [-- FLAGS...]",
	.details = "Writes all that parplan knows of configs into one HTML file: findings with\n"
		   "their source lines and fixes, the plan with its groups and parameters, every\n"
		   "figure that can be drawn, the forecast of a step and what a few changes would\n"
		   "do to it, and where each setting is from. The page loads nothing and needs no\n"
		   "network; it can be attached to a pull request or kept as an artifact of CI\n"
		   "(docs/report.md). Of a folder it holds every config below it, as\n"
		   "parplan check does.\n\n"
		   "Exit status: 0 no errors were found; 1 there are errors, the page is written\n"
		   "nevertheless; 2 a file could not be read or written.",
	.examples = "  parplan report plans/hsdp-2x8.yaml -o report.html\n"
		    "  parplan report plans/hsdp-2x8.yaml plans/five-d.yaml -o - >report.html",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
