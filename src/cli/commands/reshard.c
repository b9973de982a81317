#include "base/die.h"
#include "base/text.h"
#include "cli/command.h"
#include "report/report.h"
#include "report/reshard/reshard.h"
#include "rules/interval.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct request {
	struct config_request config, old;
	const char *rank, *param, *storage, *node;
	bool expand;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to print it (default text)",
	  offsetof(struct request, config.format) },
	{ OPT_TEXT, 0, "rank", "N", NULL, "list every read of this rank: file, offset, bytes",
	  offsetof(struct request, rank) },
	{ OPT_TEXT, 0, "param", "REGEX", NULL, "with --rank: only tensors of such names (PCRE2)",
	  offsetof(struct request, param) },
	{ OPT_TEXT, 0, "storage-gbps", "GB/S", NULL,
	  "what the storage gives all nodes together, 10^9 bytes/s",
	  offsetof(struct request, storage) },
	{ OPT_TEXT, 0, "node-gbps", "GB/S", NULL, "what one node reads at most, 10^9 bytes/s",
	  offsetof(struct request, node) },
	{ OPT_FLAG, 0, "expand", NULL, NULL, "list all ranks in JSON, also beyond 1,024",
	  offsetof(struct request, expand) },
	CONFIG_OPTIONS(struct request),
	{ OPT_TEXTS, 0, "old-set", "KEY=VALUE", NULL, "override one key of OLD (repeatable)",
	  offsetof(struct request, old.sets) },
	{ OPT_COUNT, 0, "old-world", "N", NULL, "number of ranks that wrote the checkpoint",
	  offsetof(struct request, old.world) },
	{ OPT_TEXTS, 0, "old-framework", "NAME@VERSION", NULL,
	  "judge OLD by this version (repeatable)", offsetof(struct request, old.frameworks) },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0 },
};

static double read_rate(const char *option, const char *text)
{
	double rate = 0;

	if (text && (!text_to_double(text, &rate) || rate <= 0))
		die("reshard: %s takes a number of GB/s above 0, not '%s'", option, text);
	return rate;
}

/* The new config is the last operand, or the launch line's. */
static bool read_new(const struct invocation *invocation, const struct request *request,
		     struct job *job)
{
	struct invocation last = *invocation;

	if (invocation->operands.count > 2)
		die("reshard: takes OLD and NEW, not %zu files (parplan reshard --help)",
		    invocation->operands.count);
	if (invocation->operands.count == 2) {
		last.operands.items++;
		last.operands.count = 1;
	}
	return config_job(&last, "reshard", &request->config, job);
}

/* OLD, where it is given; else the job's own checkpoint.resume is asked. */
static void read_old(const struct invocation *invocation, const struct request *request,
		     struct job *job)
{
	struct checkpoint *checkpoint = arena_new(invocation->arena, struct checkpoint);
	struct findings *findings = arena_new(invocation->arena, struct findings);
	struct invocation first = *invocation;
	struct overrides *overrides = arena_new(invocation->arena, struct overrides);

	if (invocation->operands.count < 2)
		return;
	first.operands.rest_count = 0;
	config_overrides(&first, &request->old, overrides);
	overrides->project =
		config_project(&first, &request->config, invocation->operands.items[0], overrides);
	findings_init(findings, invocation->arena);
	checkpoint_read(checkpoint, invocation->arena, invocation->operands.items[0], overrides,
			findings);
	if (checkpoint->trouble && strstr(checkpoint->trouble, checkpoint->name))
		die("reshard: %s", checkpoint->trouble);
	if (checkpoint->trouble)
		die("reshard: %s: %s (parplan check %s)", checkpoint->name, checkpoint->trouble,
		    checkpoint->name);
	resume_from(job, checkpoint);
}

static const struct resume *judge(const struct invocation *invocation, struct job *job)
{
	const struct resume *resume;

	if (!job->world)
		die("reshard: the number of ranks is not known: give --world N");
	resume = resume_of(job);
	if (!resume)
		die("reshard: what is resumed from? Give OLD before it (a config, a .metadata file "
		    "or its folder), or checkpoint.resume in it");
	if (resume->checkpoint->trouble)
		die("reshard: checkpoint.resume: %s", resume->checkpoint->trouble);
	if (invocation->operands.count < 2 && resume->checkpoint->source == CHECKPOINT_UNKNOWN)
		die("reshard: checkpoint.resume names nothing that could be read");
	return resume;
}

/* A job that does not start loads nothing: what check would say goes to stderr. */
static void complain(const struct invocation *invocation, struct job *job)
{
	struct skips skips = { 0 };

	rules_run(job, &skips);
	config_complain(invocation, job);
}

/* What rules on saving and resuming find. */
static void collect(struct job *job, struct reshard_report *report)
{
	struct skips skips = { 0 };
	size_t i;

	rules_run(job, &skips);
	interval_apply(job);
	findings_sort(job->findings);
	for (i = 0; i < job->findings->list.count; i++) {
		const struct finding *finding = job->findings->list.items[i];
		const struct rule *rule = rule_find(finding->rule->name);
		const char *topic = rule ? rule_topic(rule)->topic : "";
		if (strcmp(topic, "resume") != 0 && strcmp(topic, "checkpoint") != 0 &&
		    strcmp(finding->rule->name, "strided-metadata") != 0)
			continue;
		vec_push(job->arena, &report->findings, finding);
		report->refused |= finding->severity == SEVERITY_ERROR;
	}
}

static void list_rank(struct arena *arena, const struct request *request,
		      struct reshard_report *report)
{
	const struct loading *loading = report->loading;
	const char *error = NULL;
	struct readings all;
	size_t i;

	if (!request->rank)
		return;
	if (!text_to_int(request->rank, &report->rank) || report->rank < 0 ||
	    report->rank >= report->job->world)
		die("reshard: --rank takes a rank from 0 to %" PRId64 ", not '%s'",
		    report->job->world - 1, request->rank);
	report->listed = true;
	if (request->param)
		report->param = pattern_new(arena, request->param, &error);
	if (error)
		die("reshard: --param: %s", error);
	if (loading->trouble)
		return;
	reshard_list(&all, arena, &loading->loader, report->rank);
	for (i = 0; i < all.list.count; i++)
		if (!report->param || pattern_finds(report->param, all.list.items[i].tensor->fqn))
			vec_push(arena, &report->readings.list, all.list.items[i]);
	if (report->param && pattern_trouble(report->param))
		die("reshard: --param: %s", pattern_trouble(report->param));
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	struct reshard_report report = { 0 };
	struct loading *loading = arena_new(invocation->arena, struct loading);
	const struct resume *resume;
	struct job job = { 0 };

	report.storage = read_rate("--storage-gbps", request->storage);
	report.node = read_rate("--node-gbps", request->node);
	read_new(invocation, request, &job);
	if (!job.readable)
		return EXIT_FINDINGS;
	if (job.applied->error) {
		complain(invocation, &job);
		return EXIT_FINDINGS;
	}
	read_old(invocation, request, &job);
	resume = judge(invocation, &job);
	report.job = &job;
	report.loading = loading;
	report.expand = request->expand;
	report.per_node = ranks_per_node(&job);
	if (report.node > 0 && !report.per_node)
		die("reshard: --node-gbps needs the ranks of a node: --set "
		    "cluster.gpus_per_node=8");
	loading_of(loading, &job);
	collect(&job, &report);
	list_rank(invocation->arena, request, &report);
	if (request->config.format && !strcmp(request->config.format, "json"))
		report_reshard_json(&report, invocation->out);
	else
		report_reshard_text(&report, invocation->out, invocation->color,
				    invocation->columns);
	if (!resume_loads(resume) || report.refused)
		return EXIT_FINDINGS;
	return resume_judged(resume) ? EXIT_CLEAN : EXIT_TROUBLE;
}

const struct command command_reshard = {
	.name = "reshard",
	.summary = "can a checkpoint be loaded on other ranks, and what is read",
	.operands = "[OLD] NEW [-- FLAGS...]",
	.details =
		"OLD is the config that wrote a checkpoint, a DCP checkpoint's .metadata file\n"
		"or the folder that holds one; without it checkpoint.resume of NEW says what it\n"
		"resumes from: degrees or a path. Nothing of a checkpoint is executed and no\n"
		"tensor is read.\n\n"
		"For model, optimizer, learning-rate scheduler, data loader and train state it\n"
		"says whether they load at these versions, the exact error if not, the\n"
		"workaround and its cost. Then what every rank reads: bytes, chunks and files,\n"
		"whole chunks as DCP loads them. Exit status: 0 when it loads, 1 when not, 2\n"
		"when this is not known.\n\n"
		"Options and flags are NEW's; --old-set, --old-world and --old-framework are\n"
		"OLD's.",
	.examples = "  parplan reshard plans/hsdp-2x8.yaml plans/incidents/dataloader-grow.yaml\n"
		    "  parplan reshard plans/incidents/dataloader-allowed.yaml\n"
		    "  parplan reshard plans/incidents/dataloader-allowed.yaml --rank 3 --param wq",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
