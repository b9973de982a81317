#include "base/die.h"
#include "base/outward.h"
#include "cli/command.h"
#include "cli/search/one.h"
#include "cli/search/sweep.h"
#include "cli/search/write.h"
#include "report/report.h"
#include "report/search/search.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json|jsonl",
	  "how to print it (default text); jsonl: a part, for --merge",
	  offsetof(struct search_request, config.format) },
	CONFIG_OPTIONS(struct search_request),
	SEARCH_OPTIONS(struct search_request),
	{ .kind = OPT_END }
};

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

static void write_best(const struct invocation *invocation, const char *folder,
		       const struct one *one)
{
	struct search_files files = { 0 };

	search_folder(folder, false);
	search_files(invocation->arena, folder, one->search, one->result, one->own, &files);
	search_write(invocation, &files);
}

static int report(const struct invocation *invocation, const struct search_request *request,
		  struct one *one)
{
	const struct search *search = one->search;

	search_result(one);
	if (request->config.format && !strcmp(request->config.format, "json")) {
		report_search_json(search, one->result, invocation->out);
	} else {
		report_assumptions(!invocation->operands.count || search->lost.left ||
						   search->space.sites.count == 1
					   ? &search->space.sites.items[0]->job
					   : search->yours,
				   invocation->out, invocation->color, invocation->columns);
		report_search_text(search, one->result, invocation->out, invocation->color,
				   invocation->columns);
	}
	if (request->write)
		write_best(invocation, request->write, one);
	return one->result->proposals.count ? EXIT_CLEAN : EXIT_FINDINGS;
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

static void refuse_options(const struct search_request *request, bool part)
{
	if (request->shard && request->merge)
		die("search: --shard decides a part, --merge adds parts up: not both");
	if (request->shard && !part)
		die("search: a part of a search is no answer: --shard goes with --format jsonl");
	if (request->write && part)
		die("search: a part of a search is no answer: --write goes with --merge");
}

static int run(struct invocation *invocation, void *data)
{
	struct search_request *request = data;
	const bool part = request->config.format && !strcmp(request->config.format, "jsonl");
	struct one one = { 0 };
	int status = EXIT_CLEAN;

	keep_memory();
	refuse_options(request, part);
	if (request->merge)
		request->parts = parts_take(invocation);
	if (search_is_sweep(invocation, request)) {
		status = search_sweep(invocation, request);
		deliver(invocation, request);
		return status;
	}
	if (request->parts)
		parts_require(request->parts, invocation->arena, NULL);
	search_refuse_model(invocation, request);
	search_open(&one, invocation, request);
	if (one.broken) {
		config_complain(invocation, one.broken);
		return EXIT_FINDINGS;
	}
	search_conclude(&one, invocation, request);
	if (request->parts)
		parts_end(request->parts);
	if (part)
		shard_write(one.search, &one.passage, one.own, invocation->out);
	else
		status = report(invocation, request, &one);
	deliver(invocation, request);
	return status;
}

const struct command command_search = {
	.name = "search",
	.summary = "find the layouts that are fastest and fit",
	.operands = "[FILE...] [-- FLAGS...]",
	.details =
		"Searches over the layouts that the config's framework can be told: degrees of\n"
		"data, tensor, context, pipeline and expert parallelism, of Ulysses where the\n"
		"config has it, how tensor parallelism talks, schedules and virtual stages, the\n"
		"microbatch, recomputation, and whether parameters stay gathered. The model, the\n"
		"sequence length and the batch of a step stay as they are, and so does the\n"
		"machine, unless an option says otherwise.\n\n"
		"Every layout that is proposed passes parplan check --strict as a change of the\n"
		"config, and has the forecast of parplan sim. Bounds of time and memory rule\n"
		"layouts out before they are simulated; the answer is that of --exhaustive,\n"
		"which simulates all that the rules allow.\n\n"
		"Without a file, the options describe the job: --model, --gpus, --gpu,\n"
		"--seq-len, --global-batch and --framework.\n\n"
		"--sweep FILE makes a search for each combination of the values in a YAML file\n"
		"(model, gpu, gpus, seq_len, global_batch, framework, any setting), and prints\n"
		"the best of each; so do several FILEs. With --write each has a folder of its\n"
		"own in DIR; with --shard each is cut into parts, and --merge adds them up.\n"
		"--lost searches on the nodes that are left.\n\n"
		"Exit status: 0 a layout is proposed; 1 none runs, or the config has errors;\n"
		"2 something is missing, or an option is wrong. Of several searches, 1 where one\n"
		"of them has no layout.",
	.examples =
		"  parplan search plans/hsdp-2x8.yaml\n"
		"  parplan search --top 3 --fix tp=2 plans/hsdp-2x8.yaml\n"
		"  parplan search --gpus 32 --global-batch 64 --format json plans/hsdp-2x8.yaml\n"
		"  parplan search --lost gpu-b01 --fix cp=1 --top 3 plans/hsdp-on-hosts.yaml\n"
		"  parplan search --fix pp=1 --sweep plans/sweeps/two-machines "
		"plans/hsdp-2x8.yaml",
	.options = options,
	.request_size = sizeof(struct search_request),
	.run = run,
};
