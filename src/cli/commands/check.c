#include "base/bounds.h"
#include "base/die.h"
#include "base/path.h"
#include "cli/checking.h"
#include "cli/delivery.h"

#include <string.h>

static const struct opt options[] = {
	{ OPT_TEXT, 0, "format", "FORMAT", NULL,
	  "how to report: text (default), gcc, github, gitlab, json, junit, markdown, rdjson, "
	  "sarif",
	  offsetof(struct check_request, config.format) },
	{ OPT_TEXT, 'o', "output", "FILE", NULL,
	  "write the report there, whole or not at all, instead of to stdout",
	  offsetof(struct check_request, output) },
	CONFIG_OPTIONS(struct check_request),
	{ OPT_TEXTS, 0, "expect", "WHAT=VALUE", NULL,
	  "expect this, as a line of expect: would (repeatable)",
	  offsetof(struct check_request, expect) },
	{ OPT_TEXTS, 0, "ignore", "RULE,...", NULL, "drop the findings of these rules",
	  offsetof(struct check_request, ignore) },
	{ OPT_TEXTS, 0, "warn", "RULE,...", NULL, "make the findings of these rules warnings",
	  offsetof(struct check_request, warn) },
	{ OPT_TEXTS, 0, "error", "RULE,...", NULL, "make the findings of these rules errors",
	  offsetof(struct check_request, error) },
	{ OPT_TEXT, 0, "fail-on", "SEVERITY", "error|warning|note|never",
	  "exit 1 from this severity on; default error", offsetof(struct check_request, fail_on) },
	{ OPT_FLAG, 0, "strict", NULL, NULL,
	  "exit 1, too, where a file is judged only in part, or not at all",
	  offsetof(struct check_request, strict) },
	{ OPT_TEXT, 0, "baseline", "FILE", NULL,
	  "findings in this file are known: only others count",
	  offsetof(struct check_request, baseline) },
	{ OPT_TEXT, 0, "write-baseline", "FILE", NULL,
	  "write all findings of these configs there, and exit 0",
	  offsetof(struct check_request, write_baseline) },
	{ OPT_FLAG, 0, "show-ignored", NULL, NULL,
	  "sarif: ignored findings, too, marked as suppressed",
	  offsetof(struct check_request, silenced) },
	{ OPT_FLAG, 0, "explain-all", NULL, NULL,
	  "text: say of every rule that fired what is behind it",
	  offsetof(struct check_request, explain_all) },
	{ OPT_COUNT, 'j', "jobs", "N", NULL,
	  "of folders: processes that look for configs; default one for each core",
	  offsetof(struct check_request, jobs) },
	{ OPT_FLAG, 0, "watch", NULL, NULL, "check again whenever a file changes, until Ctrl-C",
	  offsetof(struct check_request, watch) },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0 },
};

/* "json, text": the names of all formats. */
static const char *format_names(struct arena *arena)
{
	const struct format *const *format;
	const char *names = "";

	for (format = formats; *format; format++)
		names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "", (*format)->name);
	return names;
}

static const struct format *chosen_format(struct arena *arena, const char *name)
{
	const struct format *format = format_find(name ? name : "text");
	const char *near;

	if (format)
		return format;
	near = format_nearest(arena, name);
	if (near)
		die("check: unknown format '%s'; did you mean '%s'?", name, near);
	die("check: unknown format '%s'; there are %s", name, format_names(arena));
}

static void add_expectations(struct arena *arena, struct overrides *overrides,
			     const struct texts *texts)
{
	size_t i;

	for (i = 0; i < texts->count; i++) {
		if (!strchr(texts->items[i], '='))
			die("check: --expect takes KEY=VALUE, not '%s'", texts->items[i]);
		vec_push(arena, &overrides->expects, texts->items[i]);
	}
}

/*
 * The files and folders to check; a command line after "--" alone stands for a job without a file,
 * nothing at all for the folder where a repository's user is.
 */
static const char *const *operand_paths(const struct invocation *invocation, size_t *count)
{
	static const char *const none[] = { NULL }, *const here[] = { "." };
	struct arena *arena = invocation->arena;

	*count = invocation->operands.count;
	if (*count)
		return invocation->operands.items;
	*count = 1;
	if (invocation->operands.rest_count)
		return none;
	if (!bounds_repository(arena, path_absolute(arena, ".")))
		die("check: no file given, and this is no repository whose configs could be meant "
		    "(parplan check FILE..., '.' for this folder, '-' reads stdin)");
	return here;
}

static int run(struct invocation *invocation, void *memory)
{
	const struct check_request *request = memory;
	struct arena *arena = invocation->arena;
	struct checking checking = { .invocation = invocation, .request = request };
	struct levels unused = { 0 }; /* names of rules are wrong before anything is read */
	int status;

	checking.format = chosen_format(arena, request->config.format);
	if (request->explain_all && strcmp(checking.format->name, "text") != 0)
		die("check: --explain-all goes with --format text; parplan rules --format json has "
		    "the explanations");
	invocation->kind = checking.format->commands ? OUTWARD_COMMANDS : OUTWARD_TEXT;
	config_overrides(invocation, &request->config, &checking.overrides);
	add_expectations(arena, &checking.overrides, &request->expect);
	checking_levels(request, arena, &unused);
	checking.paths = operand_paths(invocation, &checking.count);
	if (!request->watch) {
		status = checking_pass(&checking, arena, invocation->out);
		delivery_write(invocation, request->output);
		return status;
	}
	checking_unwatchable(&checking);
	return checking_watch(&checking);
}

const struct command command_check = {
	.name = "check",
	.summary = "what will go wrong: findings with line, cause and fix",
	.operands = "[FILE|FOLDER]... [-- FLAGS...]",
	.details =
		"Reads configs (native YAML or a framework's own files), derives what the job\n"
		"will do under the given or inferred versions, and reports where that differs\n"
		"from what is asked for. What follows \"--\" is the framework's own command\n"
		"line: overrides, or a whole `torchrun ... train.py ...` line, which also gives\n"
		"the world size.\n\n"
		"A comment `# parplan: ignore=RULE` silences a rule on its line or the next\n"
		"one. The nearest .parplan.yaml, in the config's folder or above within its\n"
		"repository, sets defaults (docs/ci.md): options win over the config, the\n"
		"config over it.\n\n"
		"Of a folder every file below it is checked that is a config by its content\n"
		"(YAML, TOML, JSON); inside a repository nothing named means this folder. Links,\n"
		"names that begin with a dot, what .gitignore leaves out and what the project's\n"
		"settings exclude are passed over. The last line counts the other files; those of\n"
		"broken syntax are named there. With --strict a folder without configs fails.\n\n"
		"--watch checks the files again whenever one of them changes, or a file read\n"
		"with them: requirements.txt, pyproject.toml and uv.lock beside them, the\n"
		"project's settings, the hosts, the checkpoint.\n\n"
		"The last line starts with how much was checked: a rule that lacks the world\n"
		"size, a model, the strategy or a degree is undecided. With --strict that\n"
		"fails.\n\n"
		"Exit status: 0 no finding at or above --fail-on; 1 findings, or with --strict\n"
		"a file not judged in full; 2 a file could not be read or an option is wrong.",
	.examples = "  parplan check plans/hsdp-2x8.yaml\n"
		    "  parplan check --format json --world 16 plans/hsdp-2x8.yaml\n"
		    "  parplan check --explain-all plans/incidents/hsdp-collapse.yaml\n"
		    "  parplan check --format sarif --output /dev/null plans/hsdp-2x8.yaml",
	.options = options,
	.request_size = sizeof(struct check_request),
	.run = run,
};
