#include "base/die.h"
#include "cli/command.h"
#include "report/ranks/view.h"

#include <string.h>

struct request {
	struct config_request config;
	const char *hosts, *ranks;
	struct texts lost;
	bool expand;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to print it (default text)",
	  offsetof(struct request, config.format) },
	CONFIG_OPTIONS(struct request),
	{ OPT_TEXT, 0, "hosts", "FILE", NULL, "hosts, one a line: NAME [slots=N] (cluster.hosts)",
	  offsetof(struct request, hosts) },
	{ OPT_TEXT, 0, "rank", "LIST", NULL, "where these ranks sit, and their peers: 0,5-7",
	  offsetof(struct request, ranks) },
	{ OPT_TEXTS, 0, "lost", "NODE[,NODE]", NULL,
	  "what is left without these nodes or rank:N (repeatable)",
	  offsetof(struct request, lost) },
	{ OPT_FLAG, 0, "expand", NULL, NULL, "list every node", offsetof(struct request, expand) },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static void read_view(const struct request *request, struct ranks_view *view)
{
	struct plan_view ranks = { .expand = request->expand };
	const char *error = NULL;
	size_t i;

	view->expand = request->expand;
	if (request->ranks)
		error = rank_list_read(view->arena, request->ranks, &ranks.ranks);
	if (!error)
		error = plan_view_check(view->arena, &ranks, view->plan);
	if (error)
		die("ranks: --rank: %s", error);
	view->ranks = ranks.ranks;
	for (i = 0; i < request->lost.count && !error; i++)
		error = ranks_view_lose(view, request->lost.items[i]);
	if (error)
		die("ranks: --lost: %s", error);
	if (request->lost.count)
		ranks_view_lost(view);
}

static int ranks_run(struct invocation *invocation, void *data)
{
	struct request *request = data;
	struct ranks_view view;
	struct job job = { 0 };
	bool errors;

	config_hosts(invocation, &request->config, request->hosts);
	errors = config_job(invocation, "ranks", &request->config, &job);
	if (!job.readable || !job_plan(&job))
		return EXIT_FINDINGS;
	if (!job.world)
		die("ranks: the number of ranks is not known: give --world N, or cluster.nodes and "
		    "cluster.gpus_per_node");
	ranks_view_init(&view, &job);
	read_view(request, &view);
	if (request->config.format && !strcmp(request->config.format, "json"))
		report_ranks_json(&view, invocation->out);
	else
		report_ranks_text(&view, invocation->out, invocation->color, invocation->columns);
	return errors || view.plan->error ? EXIT_FINDINGS : EXIT_CLEAN;
}

const struct command command_ranks = {
	.name = "ranks",
	.summary = "where ranks sit, who talks to whom, what a lost node takes",
	.operands = "FILE [-- FLAGS...]",
	.details =
		"Lists the nodes with their ranks, and for every axis its groups, how many nodes a "
		"group touches, whether it keeps to one (yes, no, or assumed: ranks are taken to "
		"fill one node after the other until a file of hosts, cluster.rank_order or the "
		"launcher says how they follow), and what it carries.\n\n"
		"--rank shows single ranks: host, peers in each group and where these sit, stages, "
		"samples and copies. --lost shows which groups and replicas a lost node breaks, "
		"whether a full copy of the parameters is left, and what goes on. A file of hosts "
		"is read as Open MPI, DeepSpeed, MPICH and Slurm write it.",
	.examples = "  parplan ranks plans/hsdp-2x8.yaml\n"
		    "  parplan ranks --rank 13 plans/hsdp-2x8.yaml\n"
		    "  parplan ranks --lost node1 plans/hsdp-2x8.yaml",
	.options = options,
	.request_size = sizeof(struct request),
	.run = ranks_run,
};
