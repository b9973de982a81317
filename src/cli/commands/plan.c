#include "base/die.h"
#include "cli/command.h"
#include "report/plan/view.h"
#include "report/report.h"

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

static int plan_run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	struct arena *arena = invocation->arena;
	struct plan_view view = { 0 };
	struct job job = { 0 };
	const char *error;
	bool errors;

	read_view(arena, request, &view);
	errors = config_job(invocation, "plan", &request->config, &job);
	if (!job.readable || !job_plan(&job))
		return EXIT_FINDINGS;
	error = plan_view_check(arena, &view, job_plan(&job));
	if (error)
		die("plan: %s", error);
	write_plan(invocation, request, &job, &view);
	return errors || job_plan(&job)->error ? EXIT_FINDINGS : EXIT_CLEAN;
}

const struct command command_plan = {
	.name = "plan",
	.summary = "show meshes, groups, shards, units and stages of a config",
	.operands = "FILE [-- FLAGS...]",
	.details =
		"Runs the config through a model of the framework version and prints what it\n"
		"builds: device meshes with their rank groups, who shares and who repeats\n"
		"parameters, FSDP units, the part of every parameter that a rank holds, and\n"
		"pipeline stages. If the framework would raise, plan prints the exact exception\n"
		"and the exit status is 1.\n\n"
		"Without a world size the degrees that the file fixes are printed, and no\n"
		"groups. Flags behind -- are the framework's own command line.",
	.examples = "  parplan plan plans/hsdp-2x8.yaml\n"
		    "  parplan plan --rank 9 --param 'attention.wq' plans/hsdp-2x8.yaml\n"
		    "  parplan plan --format json plans/hsdp-2x8.yaml",
	.options = options,
	.request_size = sizeof(struct request),
	.run = plan_run,
};
