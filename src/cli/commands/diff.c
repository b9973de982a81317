#include "base/die.h"
#include "cli/command.h"
#include "framework/resume.h"
#include "framework/torch/release.h"
#include "report/diff/diff.h"
#include "report/report.h"
#include "rules/judge.h"

#include <stdio.h>
#include <string.h>

struct request {
	struct config_request config;
	bool exit_zero;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json|markdown", "how to print it (default text)",
	  offsetof(struct request, config.format) },
	CONFIG_OPTIONS(struct request),
	{ OPT_FLAG, 0, "exit-zero", NULL, NULL, "exit 0 also when something differs",
	  offsetof(struct request, exit_zero) },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0 },
};

/* --framework NAME@A..B; an end that is left out is the file's own version. */
struct range {
	const char *framework; /* NULL: there is no range */
	const char *ends[2];
};

/* ---- the request ---- */

/* Takes the range out of the --framework options; the others pin both sides. */
static struct range take_range(struct arena *arena, struct texts *pins)
{
	struct range range = { 0 };
	size_t i, kept = 0;

	for (i = 0; i < pins->count; i++) {
		const char *text = pins->items[i], *at = strchr(text, '@');
		const char *dots = at ? strstr(at, "..") : NULL;
		if (!dots) {
			pins->items[kept++] = text;
			continue;
		}
		if (range.framework)
			die("diff: one range of versions at a time, not also '%s'", text);
		range.framework = arena_strndup(arena, text, (size_t)(at - text));
		range.ends[0] = arena_strndup(arena, at + 1, (size_t)(dots - at - 1));
		range.ends[1] = arena_strdup(arena, dots + 2);
	}
	pins->count = kept;
	return range;
}

static void check_end(struct arena *arena, const struct range *range, const char *end)
{
	const struct pin pin = { .framework = range->framework, .version = end };
	struct findings findings;

	findings_init(&findings, arena);
	if (*end)
		version_check_pin(&pin, &findings);
	if (findings.list.count)
		die("diff: --framework: %s; %s", findings.list.items[0]->message,
		    findings.list.items[0]->actual);
}

static void check_range(struct arena *arena, const struct range *range)
{
	if (!range->framework)
		return;
	if (!history_known(range->framework))
		die("diff: --framework: a range is of torchtitan or torch, not of '%s'",
		    range->framework);
	if (!*range->ends[0] && !*range->ends[1])
		die("diff: --framework: give at least one end, as in %s@v0.1.0.. or %s@..HEAD",
		    range->framework, range->framework);
	check_end(arena, range, range->ends[0]);
	check_end(arena, range, range->ends[1]);
}

static void check_operands(const struct operands *operands, const struct range *range)
{
	if (operands->count > 2)
		die("diff: takes two files, not %zu (parplan diff --help)", operands->count);
	if (operands->count == 2 && !strcmp(operands->items[0], "-") &&
	    !strcmp(operands->items[1], "-"))
		die("diff: stdin can be read only once");
	if (operands->count == 2 || (range->framework && (operands->count || operands->rest_count)))
		return;
	die("diff: takes two files (parplan diff A B), or one and a range of versions (parplan "
	    "diff A --framework torchtitan@v0.1.0..v0.2.2)");
}

/* ---- the two jobs ---- */

/* One side while it is made. */
struct end {
	struct findings findings;
	struct job job;
	struct skips skips;
};

static struct pin pin_of(const struct range *range, int side)
{
	struct pin pin = { .framework = range->framework,
			   .version = range->ends[side],
			   .origin = ORIGIN_SET };

	return pin;
}

/* True when the job could be read; else what is wrong with the file has gone to stderr. */
static bool readable(const struct invocation *invocation, struct job *job)
{
	if (job->readable)
		return true;
	config_complain(invocation, job);
	return false;
}

static void read_end(const struct invocation *invocation, struct end *end, const char *path,
		     const struct overrides *overrides)
{
	const char *error;

	findings_init(&end->findings, invocation->arena);
	error = job_read(&end->job, invocation->arena, path, overrides, &end->findings);
	if (error)
		die("diff: %s", error);
	config_warn(invocation, &end->job);
}

/* The job under one end of the range. */
static void take_end(const struct invocation *invocation, struct end *end, const struct job *from,
		     const struct range *range, int side)
{
	const struct pin pin = pin_of(range, side);

	findings_init(&end->findings, invocation->arena);
	job_at(&end->job, invocation->arena, from, &pin, *pin.version != '\0', &end->findings);
}

static void judge_end(struct diff *diff, struct end *end, int side)
{
	static const struct levels none;

	judge(&none, &end->job, &end->skips);
	diff->paths[side] = end->job.document.source->path;
	diff->sides[side] = (struct side) { diff->paths[side], &end->job, &end->skips };
}

/* ---- two files ---- */

/* With a range the first file is read under its first version, the second under its last. */
static bool compare_files(const struct invocation *invocation, const struct request *request,
			  const struct range *range, const struct overrides *both,
			  struct diff *diff)
{
	struct end *ends = arena_array(invocation->arena, 2, sizeof(*ends));
	struct overrides *overrides;
	bool fine = true;
	int side;

	for (side = 0; side < 2; side++) {
		overrides = overrides_copy(invocation->arena, both);
		overrides->project = config_project(invocation, &request->config,
						    invocation->operands.items[side], overrides);
		if (range->framework && *range->ends[side])
			vec_push(invocation->arena, &overrides->pins, pin_of(range, side));
		read_end(invocation, &ends[side], invocation->operands.items[side], overrides);
		fine = readable(invocation, &ends[side].job) && fine;
	}
	if (!fine)
		return false;
	for (side = 0; side < 2; side++)
		judge_end(diff, &ends[side], side);
	diff->changes = changes_of(diff->arena, &diff->sides[0], &diff->sides[1]);
	return true;
}

/* ---- one file, two versions ---- */

static const struct version *version_at(const struct side *side, const struct range *range)
{
	const struct version *version = versions_find(&side->job->versions, range->framework);

	if (!version)
		die("diff: %s names no version of %s, so both ends of the range are needed",
		    side->name, range->framework);
	return version;
}

static void walk(const struct job *from, const struct range *range, struct diff *diff)
{
	const struct version *low = version_at(&diff->sides[0], range);
	const struct version *high = version_at(&diff->sides[1], range);
	struct epochs *epochs = arena_new(diff->arena, struct epochs);

	if (version_later(diff->arena, low, high))
		die("diff: --framework: %s is later than %s; write %s@%s..%s", low->label,
		    high->label, range->framework, high->label, low->label);
	diff->sides[0].name = low->label;
	diff->sides[1].name = high->label;
	diff->framework = range->framework;
	diff->changes = changes_of(diff->arena, &diff->sides[0], &diff->sides[1]);
	*epochs = epochs_between(diff->arena, from, &diff->sides[0], high);
	diff->epochs = epochs;
}

static bool compare_versions(const struct invocation *invocation, const struct request *request,
			     const struct range *range, struct overrides *overrides,
			     struct diff *diff)
{
	const char *path = invocation->operands.count ? invocation->operands.items[0] : NULL;
	struct end *ends = arena_array(invocation->arena, 3, sizeof(*ends));
	int side;

	overrides->project = config_project(invocation, &request->config, path, overrides);
	read_end(invocation, &ends[2], path, overrides);
	if (!readable(invocation, &ends[2].job))
		return false;
	resume_of(&ends[2].job); /* a checkpoint that it names is read once */
	for (side = 0; side < 2; side++) {
		take_end(invocation, &ends[side], &ends[2].job, range, side);
		judge_end(diff, &ends[side], side);
	}
	walk(&ends[2].job, range, diff);
	return true;
}

/* ---- the command ---- */

/* To add a format: its function in report/diff_NAME.c, a row here, and its word among the options.
 */
static const struct {
	const char *name;
	void (*write)(const struct diff *diff, const struct style *style, struct buf *out);
} writers[] = {
	{ "text", diff_text },
	{ "json", diff_json },
	{ "markdown", diff_markdown },
};

static void write_diff(const struct invocation *invocation, const struct request *request,
		       const struct diff *diff)
{
	const struct style style = { invocation->color, invocation->columns };
	const char *format = request->config.format ? request->config.format : "text";
	size_t i;

	for (i = 0; i < sizeof(writers) / sizeof(*writers); i++)
		if (!strcmp(writers[i].name, format))
			writers[i].write(diff, &style, invocation->out);
}

static int run(struct invocation *invocation, void *data)
{
	struct request *request = data;
	struct range range = take_range(invocation->arena, &request->config.frameworks);
	struct diff diff = { .arena = invocation->arena };
	struct overrides overrides;
	bool done;

	check_range(invocation->arena, &range);
	check_operands(&invocation->operands, &range);
	config_overrides(invocation, &request->config, &overrides);
	if (invocation->operands.count == 2)
		done = compare_files(invocation, request, &range, &overrides, &diff);
	else
		done = compare_versions(invocation, request, &range, &overrides, &diff);
	if (!done)
		return EXIT_TROUBLE;
	write_diff(invocation, request, &diff);
	return diff_any(&diff) && !request->exit_zero ? EXIT_FINDINGS : EXIT_CLEAN;
}

const struct command command_diff = {
	.name = "diff",
	.summary = "what changes between two configs, or two versions of one",
	.operands = "A [B] [-- FLAGS...]",
	.details =
		"Compares what two configs ask for and what is built of them: settings,\n"
		"degrees, groups, meshes, the data-parallel strategy, placements, FSDP units,\n"
		"pipeline stages, what the framework raises, and the findings of check. One of\n"
		"the files may be '-', stdin. --set, --world, --framework and what follows --\n"
		"apply to both. A difference of versions alone does not count.\n\n"
		"With one file and a range of versions, --framework torchtitan@A..B (or\n"
		"torch@A..B), it is compared under both ends, and every recorded change between\n"
		"them at which something changes for this file is named. Ends are tags, commits\n"
		"or dates; the default end is the file's own version. With two files the first\n"
		"is read under A and the second under B.\n\n"
		"The exit status is that of diff(1): 0 when nothing differs, 1 when something\n"
		"does (0 with --exit-zero), 2 when a file cannot be read.",
	.examples = "  parplan diff plans/hsdp-2x8.yaml plans/fsdp-8.yaml\n"
		    "  parplan diff plans/hsdp-2x8.yaml --framework torchtitan@..HEAD\n"
		    "  parplan diff --format markdown plans/hsdp-2x8.yaml plans/ddp-8.yaml",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
