#include "base/die.h"
#include "base/io.h"
#include "base/preset.h"
#include "base/text.h"
#include "cli/command.h"
#include "framework/wing.h"
#include "report/findings/catalogue.h"
#include "framework/timeline.h"
#include "report/origin.h"
#include "report/report.h"
#include "rules/judge.h"

#include <string.h>

struct request {
	struct config_request config;
	bool keys, dialects;
	const char *dump;
};

static const struct opt options[] = {
	CONFIG_OPTIONS(struct request),
	{ OPT_FLAG, 0, "keys", NULL, NULL, "list every key of the native config",
	  offsetof(struct request, keys) },
	{ OPT_FLAG, 0, "dialects", NULL, NULL,
	  "list the kinds of configs, and by what each is known",
	  offsetof(struct request, dialects) },
	{ OPT_TEXT, 0, "dump", "NAME", NULL,
	  "print a Python program that has the framework write what a config function makes",
	  offsetof(struct request, dump) },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0 },
};

/* ---- a rule, with the file that makes it fire ---- */

/* The options a rule's example asks for in its line "# run: --world 16 ...". */
static void example_overrides(struct invocation *invocation, const char *text,
			      struct overrides *overrides)
{
	struct request *request = arena_new(invocation->arena, struct request);
	struct invocation example = *invocation;
	const char *run = strstr(text, "# run: "), *word;
	VEC(char *) words = { 0 };
	size_t length = 0;

	memset(&example.operands, 0, sizeof(example.operands));
	for (word = run ? run + strlen("# run: ") : ""; *word && *word != '\n'; word += length) {
		word += strspn(word, " ");
		length = strcspn(word, " \n");
		if (length)
			vec_push(invocation->arena, &words,
				 arena_strndup(invocation->arena, word, length));
	}
	if (opt_parse(invocation->arena, options, (int)words.count, words.items, request,
		      &example.operands))
		bug("an example's options are wrong: %s", run);
	config_overrides(&example, &request->config, overrides);
	overrides->text = text;
}

/* Keeps only what this rule found. */
static void keep_only(struct findings *findings, const struct rule_id *id)
{
	size_t i, kept = 0;

	for (i = 0; i < findings->list.count; i++)
		if (findings->list.items[i]->rule == id)
			findings->list.items[kept++] = findings->list.items[i];
	findings->list.count = kept;
}

static void show_example(struct invocation *invocation, const struct rule *rule, const char *name,
			 const char *text)
{
	struct arena *arena = invocation->arena;
	struct checked file = { .path = name };
	struct report report = { .arena = arena,
				 .count = 1,
				 .color = invocation->color,
				 .columns = invocation->columns,
				 .quiet = true };
	struct overrides overrides;
	struct findings findings;
	struct levels levels = { 0 };
	const char *line;
	size_t length;

	findings_init(&findings, arena);
	file.findings = &findings;
	file.job = arena_new(arena, struct job);
	example_overrides(invocation, text, &overrides);
	if (job_read(file.job, arena, name, &overrides, &findings))
		return;
	judge(&levels, file.job, &file.skips);
	keep_only(&findings, rule->id);
	buf_text(invocation->out, "Example\n");
	for (line = text; *line; line += length + (line[length] == '\n')) {
		length = strcspn(line, "\n");
		buf_text(invocation->out, length ? "  " : "");
		buf_bytes(invocation->out, line, length);
		buf_char(invocation->out, '\n');
	}
	buf_char(invocation->out, '\n');
	report_file(&report, format_find("text"), &file, invocation->out);
}

static int explain_rule(struct invocation *invocation, const struct rule *rule)
{
	static const char *const suffixes[] = { "yaml", "toml", "json" };
	const struct style style = { invocation->color, invocation->columns };
	size_t i;

	catalogue_explain(rule, &style, invocation->out);
	for (i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		const char *name =
			arena_printf(invocation->arena, "%s.%s", rule->id->name, suffixes[i]);
		const char *text = preset_text(arena_printf(invocation->arena, "rules/%s", name));

		if (text)
			show_example(invocation, rule, name, text);
	}
	return EXIT_CLEAN;
}

/* ---- the dialects ---- */

static int explain_dialects(struct buf *out)
{
	const struct dialect *const *row;

	for (row = dialects; *row; row++) {
		buf_printf(out, "%-14s %s\n%-14s known by %s\n", (*row)->name, (*row)->summary, "",
			   (*row)->signs);
		if ((*row)->as_of && (*row)->framework)
			buf_printf(out, "%-14s %s as of %s\n", "", (*row)->framework,
				   (*row)->as_of);
		else if ((*row)->as_of)
			buf_printf(out, "%-14s as of %s\n", "", (*row)->as_of);
	}
	return EXIT_CLEAN;
}

/* ---- what a framework can write itself ---- */

static int explain_dump(struct invocation *invocation, const char *name)
{
	const struct wing *const *row, *wing = wing_find(name);
	const char *others = "";

	for (row = wings; *row; row++)
		if ((*row)->dump)
			others = arena_join(invocation->arena, others, *others ? ", " : "",
					    (*row)->name);
	if (!wing || !wing->dump)
		die("explain: --dump takes a framework whose configs are Python: %s", others);
	buf_text(invocation->out, wing->dump);
	return EXIT_CLEAN;
}

/* ---- a framework's history ---- */

static int explain_timeline(const struct timeline *timeline, struct buf *out)
{
	int i;

	for (i = 0; i < timeline->count; i++) {
		const struct timeline_row *row = &timeline->rows[i];
		long long day = row->when / 100;

		buf_printf(out, "%04lld-%02lld-%02lld  %.9s  %-7s %s\n", day / 10000,
			   day / 100 % 100, day % 100, row->commit, row->tag ? row->tag : "",
			   row->what);
	}
	return EXIT_CLEAN;
}

/* ---- a file and its settings ---- */

static struct job *read_job(struct invocation *invocation, const struct request *request,
			    const char *path)
{
	struct findings *findings = arena_new(invocation->arena, struct findings);
	struct overrides *overrides = arena_new(invocation->arena, struct overrides);
	struct job *job = arena_new(invocation->arena, struct job);
	const char *error;

	findings_init(findings, invocation->arena);
	config_overrides(invocation, &request->config, overrides);
	overrides->project = config_project(invocation, &request->config, path, overrides);
	error = job_read(job, invocation->arena, path, overrides, findings);
	if (error)
		die("%s", error);
	if (!job->readable)
		die("%s could not be read as a config (parplan check tells why)", path);
	config_warn(invocation, job);
	return job;
}

static int explain_field(struct invocation *invocation, const struct job *job, const char *word)
{
	const struct style style = { invocation->color, invocation->columns };
	const struct setting *setting = origin_find(job, word);
	const char *near;

	if (!setting) {
		near = origin_nearest(job, word);
		if (near)
			die("explain: no setting '%s'; did you mean '%s'?", word, near);
		die("explain: no setting '%s' (parplan explain --keys lists them)", word);
	}
	origin_explain(job, setting, &style, invocation->out);
	return EXIT_CLEAN;
}

static int explain_file(struct invocation *invocation, const struct request *request)
{
	const struct style style = { invocation->color, invocation->columns };
	const struct operands *operands = &invocation->operands;
	const struct job *job = read_job(invocation, request, operands->items[0]);
	size_t i;

	if (operands->count == 1) {
		report_assumptions(job, invocation->out, invocation->color, invocation->columns);
		origin_list(job, &style, invocation->out);
		return EXIT_CLEAN;
	}
	for (i = 1; i < operands->count; i++)
		explain_field(invocation, job, operands->items[i]);
	return EXIT_CLEAN;
}

/* The whole of a key, or what follows its last dot. */
static bool is_key(const char *word)
{
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		const char *key = field_of((enum field_id)id)->key, *dot = strrchr(key, '.');
		if (!strcmp(key, word) || (dot && !strcmp(dot + 1, word)))
			return true;
	}
	return false;
}

_Noreturn static void nothing_known(struct invocation *invocation, const char *word)
{
	const char *near = rule_nearest(invocation->arena, word);

	if (near)
		die("explain: no rule or file '%s'; did you mean '%s'?", word, near);
	if (is_key(word))
		die("explain: '%s' is a key: parplan explain --keys says what each is, "
		    "parplan explain FILE %s where its value comes from",
		    word, word);
	die("explain: no rule or file '%s' (parplan rules lists the rules)", word);
}

static int run(struct invocation *invocation, void *memory)
{
	const struct request *request = memory;
	const struct style style = { invocation->color, invocation->columns };
	const struct operands *operands = &invocation->operands;
	const struct timeline *timeline;
	const struct rule *rule;

	if (request->keys) {
		origin_keys(&style, invocation->arena, invocation->out);
		return EXIT_CLEAN;
	}
	if (request->dialects)
		return explain_dialects(invocation->out);
	if (request->dump)
		return explain_dump(invocation, request->dump);
	if (!operands->count)
		die("explain: what? (a rule; a file and a key; --keys; --dialects)");
	rule = operands->count == 1 ? rule_find(operands->items[0]) : NULL;
	if (rule)
		return explain_rule(invocation, rule);
	timeline = operands->count == 1 ? timeline_of(operands->items[0]) : NULL;
	if (timeline && timeline->rows)
		return explain_timeline(timeline, invocation->out);
	if (operands->count == 1 && strcmp(operands->items[0], "-") != 0 &&
	    !io_exists(operands->items[0]))
		nothing_known(invocation, operands->items[0]);
	return explain_file(invocation, request);
}

const struct command command_explain = {
	.name = "explain",
	.summary = "a rule, or where a value of a config comes from",
	.operands = "RULE | torchtitan | FILE [KEY...]",
	.details =
		"With a rule: what it says, why, when, how to fix it, and an example that makes\n"
		"it fire. With a file and a key (the native one, the file's own, or its end):\n"
		"the value, who set it, what it was derived from and what it replaced. With a\n"
		"file alone: every setting. With torchtitan: the commits that changed what\n"
		"plans depend on; every one can be named as a version. --dump prints a short\n"
		"program in Python: run where the framework is installed, it writes what a\n"
		"config function makes, in a form that check reads.",
	.examples = "  parplan explain hsdp-collapsed\n"
		    "  parplan explain plans/hsdp-2x8.yaml dp_shard\n"
		    "  parplan explain --keys\n"
		    "  parplan explain --dialects\n"
		    "  parplan explain --dump torchtitan > dump.py",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
