#include "base/die.h"
#include "base/io.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/meter.h"
#include "cli/pull_read.h"
#include "cli/recognised.h"
#include "input/syntax/reader.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
	struct config_request config;
	const char *base, *changed, *baseline, *fail_on;
	bool strict;
};

static const struct opt options[] = {
	{ OPT_TEXT, 0, "base", "REF", NULL,
	  "what the pull request goes into: origin/main (must be given)",
	  offsetof(struct request, base) },
	{ OPT_TEXT, 0, "changed", "-", "-",
	  "take the changed files from stdin, one a line, or as git diff -z has them",
	  offsetof(struct request, changed) },
	{ OPT_TEXT, 0, "format", "FORMAT", NULL,
	  "text (default), markdown, json, or one of check's: new findings alone",
	  offsetof(struct request, config.format) },
	CONFIG_OPTIONS(struct request),
	{ OPT_TEXT, 0, "baseline", "FILE", NULL,
	  "findings in this file are known: only others count",
	  offsetof(struct request, baseline) },
	{ OPT_TEXT, 0, "fail-on", "SEVERITY", "error|warning|note|never",
	  "exit 1 from this severity of new findings on; default error",
	  offsetof(struct request, fail_on) },
	{ OPT_FLAG, 0, "strict", NULL, NULL,
	  "exit 1, too, where a config is judged only in part, or not at all",
	  offsetof(struct request, strict) },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0 },
};

/* ---- which files ---- */

/* What became of a file that somebody listed; false when it is neither here nor at the base. */
static bool status_of(const struct repository *repository, struct changed_file *file)
{
	bool after = io_exists(file->path);
	bool before = !repository_text(repository, repository->commit, file->path).error;

	file->status = !before ? FILE_ADDED : after ? FILE_CHANGED : FILE_DELETED;
	return before || after;
}

/* A name as git quotes it, in place: "tr\303\244in.yaml" and \t, \n, \" and \\. */
static void unquote(char *name)
{
	static const char letters[] = "abtnvfr", meant[] = "\a\b\t\n\v\f\r";
	const char *at = name + 1, *letter;

	while (*at && *at != '"') {
		if (*at != '\\' || !at[1]) {
			*name++ = *at++;
		} else if (strspn(at + 1, "01234567") >= 3) {
			*name++ = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + at[3] - '0');
			at += 4;
		} else {
			letter = strchr(letters, at[1]);
			*name++ = letter ? meant[letter - letters] : at[1];
			at += 2;
		}
	}
	*name = '\0';
}

/*
 * The next name of a list, which ends in NUL (git diff -z) or at the line's end, '\r' left out;
 * NULL at the end. A name in quotes is one that git has quoted.
 */
static const char *next_name(struct arena *arena, const struct io_text *list, const char **at)
{
	const bool bare = memchr(list->text, '\0', list->length) != NULL;
	const char *end = list->text + list->length;
	size_t length = strcspn(*at, bare ? "" : "\n");
	char *name;

	if (*at >= end)
		return NULL;
	name = arena_strndup(arena, *at, length);
	*at += length + 1;
	if (!bare && length && name[length - 1] == '\r')
		name[length - 1] = '\0';
	if (!bare && *name == '"')
		unquote(name);
	return name;
}

static void read_list(const struct repository *repository, struct changed_files *files)
{
	struct io_text text = io_read(repository->arena, "-", READER_BYTES);
	struct changed_file file = { 0 };
	const char *at = text.text;

	if (!text.text)
		die("ci: cannot read the list of changed files: %s", text.error);
	while ((file.path = next_name(repository->arena, &text, &at))) {
		if (!*file.path || !recognised_by_name(file.path))
			continue;
		file.old_path = file.path;
		if (!status_of(repository, &file))
			die("ci: '%s' is neither here nor at %s", file.path, repository->ref);
		vec_push(repository->arena, &files->list, file);
	}
}

static int compare(const void *left, const void *right)
{
	const struct changed_file *a = left, *b = right;

	return strcmp(a->path, b->path);
}

/* True for a file that an operand names, itself or by its folder; for any without operands. */
static bool is_asked_for(const struct invocation *invocation, const char *path, bool *named)
{
	const struct operands *operands = &invocation->operands;
	const char *whole = path_absolute(invocation->arena, path), *asked;
	size_t i;

	*named = false;
	for (i = 0; i < operands->count; i++) {
		asked = path_absolute(invocation->arena, operands->items[i]);
		*named = *named || !strcmp(asked, whole);
		if (path_within(asked, whole))
			return true;
	}
	return !operands->count;
}

/* True, and counted, for a file that the settings of the base exclude. */
static bool is_excluded(struct pull_reader *reader, const struct changed_file *file)
{
	const struct project *policy = pull_terms_of(&reader->settings, file).policy;
	const struct project_word *by;
	const bool is = policy && project_excludes(policy, reader->arena, file->path, &by);

	reader->pull->passed_over.excluded += is;
	return is;
}

static void list_files(const struct request *request, const struct repository *repository,
		       struct changed_files *files)
{
	const char *error = NULL;

	if (request->changed)
		read_list(repository, files);
	else
		error = repository_changes(repository, files);
	if (error)
		die("ci: %s", error);
	if (files->list.count)
		qsort(files->list.items, files->list.count, sizeof(*files->list.items), compare);
}

static void read_files(const struct invocation *invocation, struct pull_reader *reader,
		       const struct changed_files *files)
{
	size_t i;
	bool named;

	for (i = 0; i < files->list.count; i++) {
		const struct changed_file *file = &files->list.items[i];
		meter_step(invocation->meter, i, files->list.count);
		if (pull_is_settings(file->path) && !file->no_file) {
			pull_read(reader, file, false);
			continue;
		}
		if (!is_asked_for(invocation, file->path, &named))
			continue;
		if (file->no_file || (!recognised_by_name(file->path) && !named))
			reader->pull->passed_over.others++;
		else if (!is_excluded(reader, file))
			pull_read(reader, file, named);
	}
}

/* ---- the verdict ---- */

static bool fails(const char *word, const struct totals *totals)
{
	enum severity from = SEVERITY_ERROR;

	if (word && !strcmp(word, "never"))
		return false;
	if (word && !strcmp(word, "warning"))
		from = SEVERITY_WARNING;
	else if (word && !strcmp(word, "note"))
		from = SEVERITY_NOTE;
	return report_fails(totals, from);
}

static struct totals totals_of(const struct findings *findings)
{
	return (struct totals) { findings_count(findings, SEVERITY_ERROR),
				 findings_count(findings, SEVERITY_WARNING),
				 findings_count(findings, SEVERITY_NOTE) };
}

/* Adds up the new findings; true when one makes the command fail. */
static bool add_up(struct pull_reader *reader, const struct request *request)
{
	struct pull *pull = reader->pull;
	const struct project *project;
	const char *word;
	bool failed = false;
	size_t i;

	for (i = 0; i < pull->files.count; i++) {
		const struct pull_file *file = &pull->files.items[i];
		struct totals totals;
		struct judged judged;
		if (!file->fresh.job)
			continue;
		totals = totals_of(file->fresh.findings);
		judged = judged_of(file->fresh.job);
		judged_add(reader->arena, &pull->judged, &judged);
		project = file->policy;
		word = request->fail_on ? request->fail_on : project ? project->fail_on.text : NULL;
		if (judged.status != JUDGED &&
		    project_is_strict(project, request->strict, request->fail_on))
			pull->unjudged_fails = true;
		failed = fails(word, &totals) || failed || pull->unjudged_fails;
		pull->totals.errors += totals.errors;
		pull->totals.warnings += totals.warnings;
		pull->totals.notes += totals.notes;
	}
	return failed;
}

/* ---- formats ---- */

/* To add a format of its own: its function in report/pull_NAME.c, and a row here. */
static const struct {
	const char *name;
	void (*write)(const struct pull *pull, const struct style *style, struct buf *out);
} writers[] = {
	{ "text", pull_text },
	{ "markdown", pull_markdown },
	{ "json", pull_json },
};

/* The new findings as check would report them. */
static void write_checked(const struct invocation *invocation, const struct format *format,
			  const struct pull *pull, const struct request *request)
{
	struct report report = { .arena = invocation->arena,
				 .color = invocation->color,
				 .columns = invocation->columns,
				 .failing = SEVERITY_ERROR,
				 .version = VERSION };
	size_t i;

	for (i = 0; i < pull->files.count; i++)
		report.count += pull->files.items[i].fresh.job != NULL;
	format->begin(&report, invocation->out);
	for (i = 0; i < pull->files.count; i++) {
		const struct pull_file *file = &pull->files.items[i];
		report.strict = project_is_strict(file->policy, request->strict, request->fail_on);
		if (file->fresh.job)
			report_file(&report, format, &file->fresh, invocation->out);
	}
	format->end(&report, invocation->out);
}

static void write_pull(struct invocation *invocation, const char *name, const struct pull *pull,
		       const struct request *request)
{
	const struct style style = { invocation->color, invocation->columns };
	size_t i;

	for (i = 0; i < sizeof(writers) / sizeof(*writers); i++)
		if (!strcmp(writers[i].name, name)) {
			writers[i].write(pull, &style, invocation->out);
			return;
		}
	invocation->kind = format_find(name)->commands ? OUTWARD_COMMANDS : OUTWARD_TEXT;
	write_checked(invocation, format_find(name), pull, request);
}

/* Dies before anything is read. */
static const char *chosen_format(const char *name)
{
	size_t i;

	if (!name)
		return "text";
	for (i = 0; i < sizeof(writers) / sizeof(*writers); i++)
		if (!strcmp(writers[i].name, name))
			return name;
	if (!format_find(name))
		die("ci: unknown format '%s'; there are text, markdown, json and the formats of "
		    "check (parplan check --help)",
		    name);
	return name;
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	struct arena *arena = invocation->arena;
	const char *format = chosen_format(request->config.format), *error;
	struct pull pull = { .arena = arena };
	struct overrides overrides;
	struct repository repository;
	struct changed_files files = { 0 };
	struct pull_reader reader = { .arena = arena,
				      .pull = &pull,
				      .repository = &repository,
				      .overrides = &overrides,
				      .settings = { .arena = arena,
						    .repository = &repository,
						    .request = &request->config,
						    .from_disk = request->changed != NULL },
				      .baselines = { .arena = arena },
				      .baseline = request->baseline };
	bool failed;

	if (!request->base)
		die("ci: --base is needed: the branch that the pull request goes into, as in "
		    "--base origin/main");
	config_overrides(invocation, &request->config, &overrides);
	error = repository_open(&repository, arena, request->base);
	if (error)
		die("ci: %s", error);
	pull.ref = repository.ref;
	pull.commit = repository.commit;
	list_files(request, &repository, &files);
	read_files(invocation, &reader, &files);
	failed = add_up(&reader, request);
	write_pull(invocation, format, &pull, request);
	return failed ? EXIT_FINDINGS : EXIT_CLEAN;
}

static bool runs_git(const struct invocation *invocation, const void *request)
{
	(void)invocation;
	(void)request;
	return true;
}

const struct command command_ci = {
	.name = "ci",
	.summary = "what a pull request changes, and its new findings alone",
	.operands = "[FILE...] [-- FLAGS...]",
	.details =
		"Takes the configs that HEAD changes since its last commit in common with\n"
		"--base, reads each before and after, and reports the findings that it did not\n"
		"have before, the groups, the batch, memory and step time before and after,\n"
		"whether a checkpoint written before it can be loaded, and everything that diff\n"
		"finds. Changed files that are not configs are ignored; FILE (or a folder)\n"
		"takes only some.\n\n"
		"It runs git(1) and uses no network. With --changed - the files are listed on\n"
		"stdin and read from disk, not from HEAD.\n\n"
		"Of the nearest .parplan.yaml, the base has the policy (rules, ignore, exclude,\n"
		"baseline, fail-on, strict), and each side its own facts (framework, cluster,\n"
		"world); configs are held to what they expected before. A change of either is a\n"
		"note (settings-change).\n\n"
		"Formats of check (docs/ci.md) report the new findings alone, where they stand\n"
		"in the files. Exit status: 0 no new finding at or above --fail-on; 1 new\n"
		"findings; 2 no repository, an unknown base, an option that is wrong.",
	.examples = "  parplan ci --base main\n"
		    "  parplan ci --base main --format markdown plans\n"
		    "  git diff --name-only main | parplan ci --base main --changed -",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
	.starts = runs_git,
};
