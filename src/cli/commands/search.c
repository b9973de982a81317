#include "base/die.h"
#include "base/io.h"
#include "base/outward.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/machine.h"
#include "cli/meter.h"
#include "cli/search/request.h"
#include "cli/search/write.h"
#include "report/report.h"
#include "report/search/search.h"
#include "rules/project.h"
#include "search/result.h"
#include "search/shard.h"
#include "search/site.h"

#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>

/* What a part may have: some millions of candidates that run. */
#define PART_BYTES ((size_t)1 << 30)

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json|jsonl",
	  "how to print it (default text); jsonl: a part, for --merge",
	  offsetof(struct search_request, config.format) },
	CONFIG_OPTIONS(struct search_request),
	SEARCH_OPTIONS(struct search_request),
	{ .kind = OPT_END }
};

/* The config as it is. */
static struct job *read_own(const struct invocation *invocation,
			    const struct sites_request *request)
{
	struct findings *findings = arena_new(invocation->arena, struct findings);
	struct job *job = arena_new(invocation->arena, struct job);
	const char *error;

	findings_init(findings, invocation->arena);
	error = job_read(job, invocation->arena, request->path, request->overrides, findings);
	if (error)
		die("search: %s", error);
	return job;
}

/* As if it were a site of its own: it may have other ranks, and other tokens in a step. */
static void judge_own(struct search *search, struct job *own)
{
	const struct site *first = search->space.sites.items[0];
	struct site site = *first;

	if (!own->readable || !own->world || !own->model)
		return;
	site.world = own->world;
	site.batch = site_batch(own);
	if (site.batch < 1)
		return;
	site.scale = site_tokens(first) /
		     ((double)site.batch * (double)setting_int(&own->settings, FIELD_SEQ_LEN, 1));
	search->current = outcome_of_job(&search->space, &search->aim, &site, own);
}

static void show_progress(void *context, size_t done, size_t total)
{
	meter_step(context, done, total);
}

static void decide(const struct search_request *request, struct search *search,
		   struct passage *passage)
{
	const char *trouble;

	passage->jobs = search_jobs(request, search);
	search_shard(request, passage);
	if (request->time_limit &&
	    (!text_to_double(request->time_limit, &passage->seconds) || !(passage->seconds > 0)))
		die("search: --time-limit takes seconds, not '%s'", request->time_limit);
	trouble = search_decide(search, passage);
	if (trouble)
		die("search: %s", trouble);
}

/* What others have decided. */
static void merge(const struct invocation *invocation, struct search *search, const struct job *own)
{
	const struct operands *operands = &invocation->operands;
	struct shards shards = { 0 };
	size_t i;

	for (i = 1; i < operands->count; i++) {
		const char *path = operands->items[i], *trouble;
		struct io_text text = io_read(invocation->arena, path, PART_BYTES);
		if (!text.text)
			die("search: cannot read '%s': %s", path, text.error);
		trouble = shard_read(search, &shards, own, text.text, text.length);
		if (trouble)
			die("search: --merge %s: %s", path, trouble);
	}
	if (shards_missing(&shards))
		die("search: --merge: part %" PRId64 " of %" PRId64 " is missing",
		    shards_missing(&shards), shards.count);
}

static void deliver(const struct invocation *invocation, const struct search_request *request)
{
	const char *error;

	if (!request->output || !strcmp(request->output, "-"))
		return;
	error = outward_write(invocation->arena, request->output, invocation->out, OUTWARD_TEXT,
			      false);
	if (error)
		die("search: cannot write '%s': %s", request->output, error);
	buf_clear(invocation->out);
}

static int report(const struct invocation *invocation, const struct search_request *request,
		  const struct search *search, const struct result *result, const struct job *own)
{
	if (request->config.format && !strcmp(request->config.format, "json")) {
		report_search_json(search, result, invocation->out);
	} else {
		report_assumptions(own, invocation->out, invocation->color, invocation->columns);
		report_search_text(search, result, invocation->out, invocation->color,
				   invocation->columns);
	}
	return result->proposals.count ? EXIT_CLEAN : EXIT_FINDINGS;
}

/* Everything that is to be known, of all layouts or of a part of them. */
static int conclude(const struct invocation *invocation, const struct search_request *request,
		    struct search *search, const struct job *own)
{
	struct passage passage = { .progress = show_progress, .context = invocation->meter };
	struct result *result = arena_new(invocation->arena, struct result);
	int status;

	search_prepare(search);
	if (request->merge)
		merge(invocation, search, own);
	else
		decide(request, search, &passage);
	search_finish(search);
	if (request->config.format && !strcmp(request->config.format, "jsonl")) {
		shard_write(search, &passage, own, invocation->out);
		return EXIT_CLEAN;
	}
	if (passage.shards)
		die("search: a part of a search is no answer: --shard goes with --format jsonl");
	result_make(result, search);
	status = report(invocation, request, search, result, own);
	if (request->write)
		search_write(invocation, request->write, search, result, own);
	return status;
}

/* A candidate's memory is given back for the next one, not to the system, page by page. */
static void keep_memory(void)
{
#ifdef M_TRIM_THRESHOLD
	(void)mallopt(M_TRIM_THRESHOLD, 1 << 28);
	(void)mallopt(M_MMAP_THRESHOLD, 1 << 28);
	(void)mallopt(M_TOP_PAD, 1 << 22);
#endif
}

static int run(struct invocation *invocation, void *data)
{
	struct search_request *request = data;
	struct arena *arena = invocation->arena;
	struct search *search = arena_new(arena, struct search);
	struct sites_request sites = { 0 };
	struct findings findings;
	const char *trouble;
	struct job *own;
	int status;

	keep_memory();
	search->arena = search->space.arena = arena;
	findings_init(&findings, arena);
	search_request_read(invocation, request, search, &sites);
	search->own = own = read_own(invocation, &sites);
	sites_read(&search->space, &sites, &findings, &trouble);
	if (!own->readable || findings_count(&findings, SEVERITY_ERROR)) {
		config_complain(invocation,
				own->readable ? &search->space.sites.items[0]->job : own);
		return EXIT_FINDINGS;
	}
	if (trouble)
		die("search: %s", trouble);
	if (!sites.overrides->text) /* else nobody has a config yet */
		judge_own(search, own);
	status = conclude(invocation, request, search, own);
	deliver(invocation, request);
	return status;
}

const struct command command_search = {
	.name = "search",
	.summary = "find the layouts that are fastest and fit",
	.operands = "[FILE] [-- FLAGS...]",
	.details =
		"Searches over the layouts that the config's framework can be told: degrees of\n"
		"data, tensor, context, pipeline and expert parallelism, schedules and virtual\n"
		"stages, the microbatch, recomputation, and whether parameters stay gathered.\n"
		"The model, the sequence length and the batch of a step stay as they are, and\n"
		"so does the machine, unless an option says otherwise.\n\n"
		"Every layout that is proposed passes parplan check --strict as a change of the\n"
		"config, and has the forecast of parplan sim. Bounds of time and memory rule\n"
		"layouts out before they are simulated; the answer is that of --exhaustive,\n"
		"which simulates all that the rules allow.\n\n"
		"Without a file, the options describe the job: --model, --gpus, --gpu,\n"
		"--seq-len, --global-batch and --framework.\n\n"
		"Exit status: 0 a layout is proposed; 1 none runs, or the config has errors;\n"
		"2 something is missing, or an option is wrong.",
	.examples =
		"  parplan search plans/hsdp-2x8.yaml\n"
		"  parplan search --top 3 --fix tp=2 plans/hsdp-2x8.yaml\n"
		"  parplan search --gpus 32 --global-batch 64 --format json plans/hsdp-2x8.yaml",
	.options = options,
	.request_size = sizeof(struct search_request),
	.run = run,
};
