#include "base/die.h"
#include "base/io.h"
#include "cli/command.h"
#include "cli/dead.h"
#include "cli/delivery.h"
#include "cli/gather.h"
#include "cli/incident.h"
#include "cli/meter.h"
#include "cli/recognised.h"
#include "cli/search/brief.h"
#include "draw/subject.h"
#include "evidence/folder.h"
#include "report/evidence/why.h"
#include "report/web/web.h"
#include "rules/judge.h"
#include "rules/project.h"
#include "version.h"

#include <stdlib.h>
#include <string.h>

struct request {
	struct config_request config;
	const char *output;
	bool search;
};

static const struct opt options[] = {
	{ OPT_TEXT, 'o', "output", "FILE", NULL,
	  "where to: report.html; - is stdout (must be given)", offsetof(struct request, output) },
	{ OPT_FLAG, 0, "search", NULL, NULL, "with the fastest layouts that fit, as search finds",
	  offsetof(struct request, search) },
	CONFIG_OPTIONS(struct request),
	{ .kind = OPT_END },
};

/* All that goes into one page. */
struct writing {
	struct web web;
	struct overrides overrides;
	struct projects projects;
	const struct invocation *invocation;
	bool errors, search;
};

static void judge_job(const struct project *project, struct job *job, struct skips *skips)
{
	struct levels levels = { 0 };

	if (project)
		project_levels(project, job->arena, &levels);
	judge(&levels, job, skips);
}

/* Searches among the layouts of a job in which nothing is wrong. */
static struct web_search search_of(const struct writing *writing, const struct checked *file,
				   const struct overrides *overrides)
{
	struct invocation invocation = *writing->invocation;
	struct web_search search = { 0 };
	struct subject *subject;

	if (!writing->search || !file->job->readable)
		return search;
	subject = arena_new(file->job->arena, struct subject);
	search.found = subject;
	if (findings_count(file->findings, SEVERITY_ERROR)) {
		search.trouble = "the config has errors";
	} else if (subject_trouble(file->job, file->path)) {
		search.trouble = subject_trouble(file->job, file->path);
	} else {
		*subject = subject_of_job(file->job->arena, file->job, file->path);
		invocation.arena = file->job->arena;
		search.trouble = search_brief(&invocation, file->path, overrides, subject);
	}
	return search;
}

/* Reads, judges and writes one config; what it took goes again. */
static void write_file(struct writing *writing, const char *path)
{
	struct overrides overrides = writing->overrides;
	struct checked file = { 0 };
	struct web_search search;
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
	search = search_of(writing, &file, &overrides);
	web_file(&writing->web, &file, &search);
	arena_release(&arena);
}

/* ---- of a job that died or hung ---- */

/* A figure of the ranks that the evidence tells of; false: it does not say how many there were. */
static bool draw_ranks(const struct invocation *invocation, const struct request *request,
		       const struct incident *incident, const char *path, struct subject *subject)
{
	struct arena *arena = invocation->arena;
	struct overrides *overrides = arena_new(arena, struct overrides);
	struct findings *findings = arena_new(arena, struct findings);
	struct job *job = arena_new(arena, struct job);

	if (!incident->observed.families.world)
		return false;
	findings_init(findings, arena);
	config_overrides(invocation, &request->config, overrides);
	overrides->text = incident_config(arena, incident);
	if (job_read(job, arena, "evidence.yaml", overrides, findings) ||
	    subject_trouble(job, "evidence"))
		return false;
	*subject = subject_of_job(arena, job, path);
	subject_observe(subject, &incident->observed);
	subject_blame(subject, &incident->hang);
	return true;
}

/* The page begins with what happened; `config` is the job's, or NULL. */
static void write_incident(struct writing *writing, const struct request *request,
			   const struct operands *evidence, const char *config)
{
	const struct invocation *invocation = writing->invocation;
	struct incident *incident = arena_new(invocation->arena, struct incident);
	struct why why = { .arena = invocation->arena, .log = &incident->log };
	struct subject subject;
	bool drawn;

	if (config)
		why.config = dead_config(invocation, "report", &request->config, config);
	incident_read(invocation, "report", evidence, why.config ? why.config->findings : NULL,
		      incident);
	if (!incident->whole)
		exit(EXIT_TROUBLE);
	why_rank(&why, &incident->log);
	why.hang = incident->hang;
	drawn = draw_ranks(invocation, request, incident, evidence->items[0], &subject);
	web_incident(&writing->web, &why, drawn ? &subject : NULL, evidence->items[0]);
}

/* What the operands are. */
struct sorted {
	struct texts configs;	  /* named, or below a folder that was */
	struct operands evidence; /* what a job left behind: files, and folders without a config */
	const char *config;	  /* the first that was named; or NULL */
};

/* Takes a folder's configs; false when it has none. */
static bool take_folder(struct writing *writing, struct recognised *recognised, const char *folder,
			struct texts *configs)
{
	const struct passed_over before = recognised->passed_over;
	size_t i;

	recognised->configs.count = 0;
	recognised_folder(recognised, folder);
	if (!recognised->configs.count)
		recognised->passed_over = before;
	for (i = 0; i < recognised->configs.count; i++)
		vec_push(writing->web.arena, configs, recognised->configs.items[i]);
	return recognised->configs.count > 0;
}

static struct sorted sort_operands(struct writing *writing)
{
	const struct operands *operands = &writing->invocation->operands;
	struct recognised recognised = { .arena = writing->web.arena,
					 .overrides = &writing->overrides,
					 .projects = &writing->projects,
					 .meter = writing->invocation->meter };
	const char **items = arena_array(writing->web.arena, operands->count, sizeof(*items));
	struct sorted sorted = { .evidence = { .items = items } };
	size_t i;

	for (i = 0; i < operands->count; i++) {
		const char *path = operands->items[i];
		if (folder_is(path) && take_folder(writing, &recognised, path, &sorted.configs))
			continue;
		if (evidence_is(path)) {
			items[sorted.evidence.count++] = path;
			continue;
		}
		sorted.config = sorted.config ? sorted.config : path;
		vec_push(writing->web.arena, &sorted.configs, path);
	}
	writing->web.passed_over = recognised.passed_over;
	return sorted;
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
				   .search = request->search,
				   .web = { .arena = invocation->arena, .version = VERSION },
				   .projects = { .arena = invocation->arena,
						 .request = &request->config } };
	struct sorted sorted;
	struct buf body, page;
	size_t i;

	if (!invocation->operands.count)
		die("report: no file given (parplan report FILE... -o report.html)");
	if (!request->output)
		die("report: where to? (-o report.html, or -o - for stdout)");
	config_overrides(invocation, &request->config, &writing.overrides);
	buf_init(&body);
	buf_init(&page);
	writing.web.body = &body;
	sorted = sort_operands(&writing);
	if (sorted.evidence.count)
		write_incident(&writing, request, &sorted.evidence, sorted.config);
	for (i = 0; i < sorted.configs.count; i++) {
		meter_step(invocation->meter, i, sorted.configs.count);
		write_file(&writing, sorted.configs.items[i]);
	}
	web_page(&writing.web, &page);
	deliver(invocation, request->output, &page);
	buf_release(&page);
	buf_release(&body);
	return writing.errors ? EXIT_FINDINGS : EXIT_CLEAN;
}

const struct command command_report = {
	.name = "report",
	.summary = "one web page: findings, plan, figures, forecast, incident",
	.operands = "FILE|FOLDER|EVIDENCE... [-- FLAGS...]",
	.details = "Writes all that parplan knows of configs into one HTML file: findings with\n"
		   "their source lines and fixes, the plan with its groups and parameters, every\n"
		   "figure that can be drawn, the forecast of a step and what a few changes would\n"
		   "do to it, and where each setting is from. The page loads nothing and needs no\n"
		   "network; it can be attached to a pull request or kept as an artifact of CI\n"
		   "(docs/report.md). Of a folder it holds every config below it, as\n"
		   "parplan check does. --search adds the layouts that parplan search finds.\n\n"
		   "With logs, dumps or folders of them (see parplan why --help), which hold no\n"
		   "config, the page begins\n"
		   "with what happened to the job, for its review: plausible causes and next\n"
		   "steps, a timeline, ranks and hosts that the others wait for, marked where\n"
		   "they are, and the texts.\n\n"
		   "Exit status: 0 no errors were found; 1 there are errors, the page is written\n"
		   "nevertheless; 2 a file could not be read or written.",
	.examples = "  parplan report plans/hsdp-2x8.yaml -o report.html\n"
		    "  parplan report plans/hsdp-2x8.yaml plans/five-d.yaml -o - >report.html\n"
		    "  parplan report --search plans/fsdp-8.yaml -o report.html\n"
		    "  parplan report testdata/logs/hang.log -o incident.html",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
	.starts = gather_unpacks,
};
