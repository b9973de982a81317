#include "base/die.h"
#include "cli/command.h"
#include "cli/meter.h"
#include "cli/recognised.h"
#include "evidence/folder.h"
#include "report/plan/view.h"
#include "report/report.h"
#include "rules/judge.h"

#include <string.h>

struct request {
	struct config_request config;
	const char *param, *ranks, *mesh;
	bool expand;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to print it (default text)",
	  offsetof(struct request, config.format) },
	CONFIG_OPTIONS(struct request),
	{ OPT_TEXT, 0, "param", "REGEX", NULL, "only parameters whose name it matches (PCRE2)",
	  offsetof(struct request, param) },
	{ OPT_TEXT, 0, "rank", "LIST", NULL, "what these ranks hold: 0,5-7 (default 0)",
	  offsetof(struct request, ranks) },
	{ OPT_TEXT, 0, "mesh", "MESH", NULL, "only this mesh", offsetof(struct request, mesh) },
	{ OPT_FLAG, 0, "expand", NULL, NULL, "list all ranks, also beyond 1,024",
	  offsetof(struct request, expand) },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static void read_view(struct arena *arena, const struct request *request, struct plan_view *view)
{
	const char *error = NULL;

	view->mesh = request->mesh;
	view->expand = request->expand;
	if (request->ranks)
		error = rank_list_read(arena, request->ranks, &view->ranks);
	if (error)
		die("plan: --rank: %s", error);
	if (request->param)
		view->param = pattern_new(arena, request->param, &error);
	if (error)
		die("plan: --param: %s", error);
}

static void write_plan(const struct invocation *invocation, const struct request *request,
		       const struct job *job, const struct plan_view *view)
{
	if (request->config.format && !strcmp(request->config.format, "json"))
		report_plan_json(job, view, invocation->out);
	else
		report_plan_text(job, view, invocation->out, invocation->color,
				 invocation->columns);
	if (view->param && pattern_trouble(view->param))
		die("plan: --param: %s", pattern_trouble(view->param));
}

/* The plan of the first operand, or of the launch line alone; true: there is nothing wrong. */
static bool plan_job(const struct invocation *invocation, const struct request *request,
		     struct plan_view *view)
{
	struct job job = { 0 };
	const char *error;
	bool errors = config_job(invocation, "plan", &request->config, &job);

	if (!job.readable || !job_plan(&job))
		return false;
	error = plan_view_check(invocation->arena, view, job_plan(&job));
	if (error && view->path) {
		meter_clear(invocation->meter);
		outward_say("plan: %s: %s", view->path, error);
		return false;
	}
	if (error)
		die("plan: %s", error);
	view->stop = judge_error(&job);
	view->doubt = judge_doubt(&job);
	write_plan(invocation, request, &job, view);
	return !errors && !plan_view_error(view, job_plan(&job));
}

/* ---- several ---- */

static void take_folder(struct recognised *recognised, const char *folder)
{
	const size_t before = recognised->configs.count;
	const char *passed_over;

	recognised->passed_over = (struct passed_over) { 0 };
	recognised_folder(recognised, folder);
	if (recognised->configs.count > before)
		return;
	passed_over = passed_over_text(recognised->arena, &recognised->passed_over, "file",
				       "the project's settings");
	die("plan: there is no config below '%s'. %s", folder, passed_over);
}

/* The files that operands name, those of folders that are configs. */
static void take_paths(const struct invocation *invocation, const struct request *request,
		       struct recognised *recognised)
{
	const struct operands *operands = &invocation->operands;
	struct overrides *overrides = arena_new(invocation->arena, struct overrides);
	struct projects *projects = arena_new(invocation->arena, struct projects);
	size_t i;

	config_overrides(invocation, &request->config, overrides);
	recognised->arena = invocation->arena;
	recognised->overrides = overrides;
	projects->arena = invocation->arena;
	projects->request = &request->config;
	recognised->projects = projects;
	recognised->meter = invocation->meter;
	for (i = 0; i < operands->count; i++) {
		if (folder_is(operands->items[i]))
			take_folder(recognised, operands->items[i]);
		else
			vec_push(recognised->arena, &recognised->configs, operands->items[i]);
	}
}

/* Each under its name, in memory of its own; true: nothing is wrong with any. */
static bool plan_each(const struct invocation *invocation, const struct request *request,
		      struct plan_view *view)
{
	struct recognised recognised = { 0 };
	struct invocation alone = *invocation;
	struct arena arena;
	bool good = true;
	size_t i;

	take_paths(invocation, request, &recognised);
	alone.arena = &arena;
	alone.operands.count = 1;
	for (i = 0; i < recognised.configs.count; i++) {
		arena_init(&arena);
		meter_step(invocation->meter, i, recognised.configs.count);
		view->path = recognised.configs.items[i];
		alone.operands.items = &view->path;
		good = plan_job(&alone, request, view) && good;
		arena_release(&arena);
	}
	return good;
}

static int plan_run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	const struct operands *operands = &invocation->operands;
	struct plan_view view = { 0 };
	bool good;

	read_view(invocation->arena, request, &view);
	if (operands->count > 1 || (operands->count && folder_is(operands->items[0])))
		good = plan_each(invocation, request, &view);
	else
		good = plan_job(invocation, request, &view);
	return good ? EXIT_CLEAN : EXIT_FINDINGS;
}

const struct command command_plan = {
	.name = "plan",
	.summary = "show meshes, groups, shards, units and stages of a config",
	.operands = "FILE|FOLDER... [-- FLAGS...]",
	.details =
		"Runs the config through a model of the framework version and prints what it\n"
		"builds: device meshes with their rank groups, who shares and who repeats\n"
		"parameters, FSDP units, the part of every parameter that a rank holds, and\n"
		"pipeline stages. If the framework would raise, plan prints the exact exception,\n"
		"also where it comes later than what is built, and the exit status is 1.\n\n"
		"Without a world size the degrees that the file fixes are printed, and no\n"
		"groups. Flags behind -- are the framework's own command line.\n\n"
		"Of several files each plan stands under its name, of a folder those of every\n"
		"config below it, as parplan check finds them; as JSON there is one document a\n"
		"line, with its path.",
	.examples = "  parplan plan plans/hsdp-2x8.yaml\n"
		    "  parplan plan --rank 9 --param 'attention.wq' plans/hsdp-2x8.yaml\n"
		    "  parplan plan --mesh tp plans/five-d.yaml plans/fsdp-tp-8x8.yaml\n"
		    "  parplan plan --format json plans/hsdp-2x8.yaml",
	.options = options,
	.request_size = sizeof(struct request),
	.run = plan_run,
};
