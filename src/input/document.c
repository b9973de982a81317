#include "input/document.h"

#include "base/bounds.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/path.h"
#include "base/text.h"
#include "input/command.h"
#include "input/launch/form.h"
#include "input/launch/launch.h"
#include "input/launch/launcher_file.h"
#include "input/layers.h"
#include "input/manifest.h"
#include "input/syntax/reader.h"
#include "input/recognition.h"
#include "input/launch/trainings.h"
#include "input/shell/shell.h"
#include "input/suppress.h"
#include "input/launch/task.h"

#include <ctype.h>
#include <string.h>

/* To add a syntax: its reader (input/syntax/reader.h) and a row here. */
struct syntax {
	const char *name;
	const char *suffixes[2];
	bool comments; /* '#' starts one */
	struct node *(*read)(struct arena *arena, const struct source *source,
			     struct findings *findings);
};

enum { SYNTAX_YAML, SYNTAX_TOML, SYNTAX_JSON, SYNTAX_PYTHON, SYNTAX_COUNT };

static const struct syntax syntaxes[SYNTAX_COUNT] = {
	[SYNTAX_YAML] = { "YAML", { ".yaml", ".yml" }, true, yaml_read },
	[SYNTAX_TOML] = { "TOML", { ".toml", ".toml" }, true, toml_read },
	[SYNTAX_JSON] = { "JSON", { ".json", ".json" }, false, json_read },
	[SYNTAX_PYTHON] = { "Python", { ".py", ".py" }, true, python_read },
};

/* The first byte of the first line that holds more than blanks and a comment. */
static const char *first_content(const struct source *source)
{
	const char *at = source->text + source->lines[0];

	for (;;) {
		at += strspn(at, " \t\r\n");
		if (*at != '#')
			return at;
		at += strcspn(at, "\n");
	}
}

/* A line like `[section]` or `key.key = value`. */
static bool looks_like_toml(const char *line)
{
	size_t length = strcspn(line, "\r\n"), key;

	if (*line == '[') {
		const char *close = memchr(line, ']', length);
		size_t i;
		for (i = 1; close && line + i < close; i++)
			if (!isalnum((unsigned char)line[i]) && !strchr("_-.[\" ", line[i]))
				return false;
		return close && close > line + 1;
	}
	key = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.\"");
	return key && line[key + strspn(line + key, " \t")] == '=';
}

static const struct syntax *syntax_of(const struct source *source)
{
	const char *content;
	size_t i, j;

	for (i = 0; i < SYNTAX_COUNT; i++)
		for (j = 0; j < 2; j++)
			if (text_ends(source->path, syntaxes[i].suffixes[j]))
				return &syntaxes[i];
	content = first_content(source);
	if (*content == '{' && content[1] != '{')
		return &syntaxes[SYNTAX_JSON];
	return &syntaxes[looks_like_toml(content) ? SYNTAX_TOML : SYNTAX_YAML];
}

const char *document_syntax(const struct source *source)
{
	return syntax_of(source)->name;
}

static bool has_suffix(const struct source *source, const char *const *suffixes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (text_ends(source->path, suffixes[i]))
			return true;
	return false;
}

/* True when the text is a shell script, by its name or, for names that say nothing, by itself. */
static bool is_shell(const struct source *source)
{
	static const char *const scripts[] = { ".sh", ".bash", ".slurm", ".sbatch", ".sb" };
	static const char *const others[] = { ".yaml", ".yml", ".json", ".toml", ".py", ".md" };
	size_t skip = source->lines[0];

	if (has_suffix(source, scripts, sizeof(scripts) / sizeof(scripts[0])))
		return true;
	if (has_suffix(source, others, sizeof(others) / sizeof(others[0])))
		return false;
	return shell_looks(source->text + skip, source->length - skip);
}

/* Programs that are handed over in place of the config or launch line. */
static const char *program_kind(const struct source *source)
{
	if (text_ends(source->path, ".py"))
		return NULL;
	return text_starts(source->text + source->lines[0], "#!") ? "a script" : NULL;
}

static void report_program(const struct document *document, const char *kind,
			   struct findings *findings)
{
	struct finding *finding;

	finding = finding_add(findings, &rule_unknown_dialect, source_span(document->source, 0, 0),
			      "this is %s, not a config", kind);
	finding_fix(findings, finding,
		    "name the config that it uses, with its launch line behind '--': "
		    "parplan check CONFIG -- torchrun --nnodes 2 --nproc_per_node 8 ...");
}

const char *document_env(const struct document *document, const char *name)
{
	size_t length = strlen(name), i;

	for (i = document->overrides->env.count; i > 0; i--) {
		const char *text = document->overrides->env.items[i - 1];
		if (!strncmp(text, name, length) && text[length] == '=')
			return text + length + 1;
	}
	return NULL;
}

static void collect_pins(struct document *document)
{
	size_t i;

	if (document->dialect && document->dialect->pins)
		document->dialect->pins(document);
	for (i = 0; i < document->overrides->pins.count; i++)
		vec_push(document->arena, &document->pins, document->overrides->pins.items[i]);
}

/* The largest configs have some ten thousand lines; what is larger takes time and memory only. */
enum { CONFIG_BYTES = 4 << 20, CONFIG_NODES = 50000 };

/* A file that the user named: wherever it lies, but for a link that a checkout holds. */
static struct io_text read_named(const struct document *document, const char *path)
{
	const char *leaves = NULL;

	if (strcmp(path, "-") != 0 && !document->overrides->allow_outside)
		leaves = bounds_leave(document->arena, path);
	if (leaves)
		return (struct io_text) { .error = leaves, .outside = true };
	return io_read(document->arena, path, CONFIG_BYTES);
}

/* The path from which names in it lead: where it lies, or as if it lay in --in. */
static const char *place_of(const struct document *document, const char *shown)
{
	const char *folder = document->overrides->folder;

	return folder ? path_moved(document->arena, folder, shown) : shown;
}

/* What was given in place of a file, or the file; without either, nothing. */
static struct io_text given_text(const struct document *document, const char *path)
{
	const char *given = document->overrides->text;

	if (!given && path)
		return read_named(document, path);
	given = given ? given : "";
	return (struct io_text) { .text = arena_strdup(document->arena, given),
				  .length = strlen(given) };
}

/* The text of the document; a sentence when there is none, NULL when document->source is set. */
static const char *read_text(struct document *document, const char *path, struct findings *findings)
{
	const char *shown = !path ? "<command line>" : strcmp(path, "-") != 0 ? path : "<stdin>";
	const char *place = place_of(document, shown);
	struct io_text text = given_text(document, path);

	if (!document->overrides->allow_outside)
		document->bounds = bounds_of(document->arena, place);
	if (text.folder)
		return arena_printf(document->arena,
				    "cannot read '%s': %s (name the files in it: %s%s*.yaml)",
				    shown, text.error, shown, text_ends(shown, "/") ? "" : "/");
	if (!text.text && !text.too_large)
		return arena_printf(document->arena, "cannot read '%s': %s", shown, text.error);
	document->source =
		source_new(document->arena, shown, text.text ? text.text : "", text.length);
	document->source->place = place;
	if (text.too_large)
		finding_add(findings, &rule_too_large, source_span(document->source, 0, 0),
			    "the file is %s, as no config is", text.error);
	else if (!path)
		document->root = node_container(document->arena, NODE_MAP,
						source_span(document->source, 0, 0));
	return NULL;
}

/* `path` as seen from the folder of the file `beside`. */
static const char *path_from(struct arena *arena, const char *beside, const char *path)
{
	const char *slash = strrchr(beside, '/');

	if (*path == '/' || !slash)
		return path;
	return arena_printf(arena, "%.*s/%s", (int)(slash - beside), beside, path);
}

const struct rule_id rule_outside = {
	.name = "outside-repository",
	.code = "U105",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_RUN,
	.summary = "a file that the config names lies where nothing is read, or is one too many",
	.explanation =
		"A config may come from anybody, in a pull request for example. Files that it "
		"names are read only in its repository (without one, in its folder), links "
		"followed, never in .git; they must be regular files, at most 256 of them, and at "
		"most 64 MiB in all. What the others say is not known.",
	.remedy = "Keep the files together in the repository, or, where you trust the config, "
		  "give --allow-outside.",
	.source = "parplan's own limit",
};

/* The nodes of a tree, counted as far as `most`. */
static size_t count_nodes(const struct node *node, size_t most)
{
	size_t count = 0;

	for (; node && count < most; node = node->next)
		count += 1 + count_nodes(node->first, most - count);
	return count;
}

static bool is_small(const struct node *documents)
{
	return count_nodes(documents, CONFIG_NODES + 1) <= CONFIG_NODES;
}

static void report_nodes(struct document *document, struct findings *findings)
{
	document->documents = NULL;
	finding_add(findings, &rule_too_large, source_span(document->source, 0, 0),
		    "the file holds more than %d values, as no config does", CONFIG_NODES);
}

/* Of what one document loads: configs have some ten parents. */
enum { LOADED_FILES = 256, LOADED_BYTES = 64 << 20 };

static void refuse(const struct document *document, const char *path, const char *why,
		   struct findings *findings)
{
	finding_add(findings, &rule_outside, source_span(document->source, 0, 0),
		    "%.120s is not read: %s", path, why);
}

/* What an editor holds of the file, where one does. */
static void overlay(const struct document *document, const char *path, struct io_text *text)
{
	const struct overrides *overrides = document->overrides;
	const char *whole = overrides->overlays.count ? path_absolute(document->arena, path) : "";
	size_t i;

	for (i = 0; text->text && i < overrides->overlays.count; i++) {
		const struct overlay *held = &overrides->overlays.items[i];
		if (strcmp(held->path, whole) != 0)
			continue;
		text->text = arena_strndup(document->arena, held->text, held->length);
		text->length = held->length;
	}
}

/* The text of a file that the document names, which must lie within its bounds; what it loads in
 * all has an end. A file that is refused is a finding, one that is not there is none. */
static struct io_text text_of_named(struct document *document, const char *path,
				    struct findings *findings)
{
	struct io_text text = { .error = "too many files" };
	const bool full =
		document->loaded.count >= LOADED_FILES || document->loaded_bytes > LOADED_BYTES;

	if (full && !document->full)
		refuse(document, path, "the config names too many files, or too large ones",
		       findings);
	document->full = full;
	if (full)
		return text;
	text = bounds_read(document->arena, document->bounds, path, CONFIG_BYTES);
	overlay(document, path, &text);
	vec_push(document->arena, &document->loaded, path);
	document->loaded_bytes += text.length;
	if (text.outside && io_exists(path))
		refuse(document, path, text.error, findings);
	return text;
}

struct node *document_load(struct document *document, const char *beside, const char *path,
			   struct findings *findings)
{
	if (document->overrides->text &&
	    !document->overrides->in_folder) /* it has no folder that others could lie in */
		return NULL;
	return document_load_at(
		document,
		path_from(document->arena, beside ? beside : document->source->place, path),
		findings);
}

struct node *document_load_at(struct document *document, const char *path,
			      struct findings *findings)
{
	struct arena *arena = document->arena;
	struct source *source;
	struct io_text text;
	struct node *root;

	text = text_of_named(document, path, findings);
	if (!text.text)
		return NULL;
	source = source_new(arena, path, text.text, text.length);
	root = syntax_of(source)->read(arena, source, findings);
	return root && is_small(root) && root->kind == NODE_MAP ? root : NULL;
}

/*
 * A text that is no JSON: one with comments and trailing commas is, for frameworks that read it
 * so, as if nothing were wrong, and so is YAML in braces without a name that says otherwise; of a
 * template, whose placeholders nothing reads, what YAML's flow collections make of it tells what
 * else is wrong. Elsewhere the error stands alone.
 */
static void read_loosely(struct document *document, struct findings *findings)
{
	struct finding *error = findings->list.items[findings->list.count - 1];
	const struct dialect *dialect = NULL;
	struct findings unheard;
	bool whole;

	if (error->rule != &rule_syntax)
		return;
	findings_init(&unheard, document->arena);
	document->root = json_read_loose(document->arena, document->source);
	whole = document->root != NULL;
	if (!whole) {
		document->root = yaml_read(document->arena, document->source, &unheard);
		whole = !unheard.list.count && !text_ends(document->source->path, ".json");
	}
	if (document->root && document->root->kind == NODE_MAP)
		dialect = document->overrides->dialect ? dialect_find(document->overrides->dialect)
						       : recognise_surest(document, NULL);
	if (!dialect || !dialect->loose_json)
		document->root = NULL;
	else if (whole)
		findings->list.count--;
	else
		finding_fix(findings, error,
			    "put a value there; what follows is read as far as it goes");
}

/* Who sources files, and who hears of those that are refused. */
struct scripts {
	struct document *document;
	struct findings *findings;
};

static const char *variable_outside(const void *context, const char *name)
{
	const struct scripts *scripts = context;
	const struct document *document = scripts->document;

	return document_env(document, name);
}

/* A file beside the script, in its folder or by its path from there. */
static const struct source *load_script(void *context, const char *path)
{
	const struct scripts *scripts = context;
	struct document *document = scripts->document;
	const char *whole = path_from(document->arena, document->source->place, path);
	struct findings ignored;
	struct source *source;
	struct io_text text;

	if (document->overrides->text || !strcmp(document->source->place, "<stdin>"))
		return NULL;
	text = text_of_named(document, whole, scripts->findings);
	if (!text.text)
		return NULL;
	source = source_new(document->arena, whole, text.text, text.length);
	findings_init(&ignored, document->arena);
	return reader_accepts(source, &ignored) ? source : NULL;
}

static void read_script(struct document *document, struct findings *findings)
{
	const struct source *source = document->source;
	size_t skip = source->lines[0];
	struct scripts *scripts = arena_new(document->arena, struct scripts);

	if (!reader_accepts(source, findings))
		return;
	*scripts = (struct scripts) { document, findings };
	document->root = node_container(document->arena, NODE_MAP, source_span(source, skip, skip));
	document->shell =
		shell_read_file(document->arena, source, variable_outside, load_script, scripts);
	suppress_read(document, findings);
}

/* A task's script is what counts: the tree is empty, as a script's. */
static void read_task(struct document *document)
{
	document->task = document->root;
	document->shell = task_script(document, document->root);
	document->root = node_container(document->arena, NODE_MAP, document->root->span);
	document->documents = document->root;
}

/* The text of document->source becomes a tree or, for a script, a list of commands. */
static void read_tree(struct document *document, struct findings *findings)
{
	const struct syntax *syntax;
	const char *program;

	if (is_shell(document->source)) {
		read_script(document, findings);
		return;
	}
	program = document->overrides->text ? NULL : program_kind(document->source);
	if (program) {
		report_program(document, program, findings);
		return;
	}
	syntax = syntax_of(document->source);
	document->documents = syntax->read(document->arena, document->source, findings);
	document->program = syntax == &syntaxes[SYNTAX_PYTHON];
	if (!is_small(document->documents)) {
		report_nodes(document, findings);
		return;
	}
	document->root = manifest_main(document->documents);
	if (document->root && task_is(document->root))
		read_task(document);
	if (!document->root && syntax == &syntaxes[SYNTAX_JSON] && findings->list.count)
		read_loosely(document, findings);
	if (syntax->comments)
		suppress_read(document, findings);
}

/* Full lists: the next element goes into a block of the copy's own. */
struct overrides *overrides_copy(struct arena *arena, const struct overrides *overrides)
{
	struct overrides *copy = arena_new(arena, struct overrides);

	*copy = *overrides;
	copy->sets.capacity = copy->sets.count;
	copy->options.capacity = copy->options.count;
	copy->expects.capacity = copy->expects.count;
	copy->pins.capacity = copy->pins.count;
	copy->env.capacity = copy->env.count;
	copy->lost.capacity = copy->lost.count;
	copy->words.capacity = copy->words.count;
	copy->overlays.capacity = copy->overlays.count;
	return copy;
}

/* The file that starts the job: one that options name, or one that the launch line names. */
static const char *read_launcher(struct document *document, struct findings *findings)
{
	const char *named = document->overrides->launcher;

	if (named)
		return launcher_file_read(document, named, findings);
	if (document->launch && document->launch->starter_file) /* not there, it says nothing */
		(void)launcher_file_read(document, document->launch->starter_file, findings);
	return NULL;
}

const char *document_read(struct document *document, struct arena *arena, const char *path,
			  const struct overrides *overrides, struct findings *findings)
{
	const char *error;
	size_t before;

	memset(document, 0, sizeof(*document));
	document->arena = arena;
	document->overrides = overrides ? overrides : arena_new(arena, struct overrides);
	document->launch = launch_parse(arena, document->overrides);
	error = read_launcher(document, findings);
	if (error)
		return error;
	before = findings->list.count;
	if (!path && document->launch)
		path = document->launch->config_file;
	error = read_text(document, path, findings);
	if (error || findings->list.count > before)
		return error;
	if (path)
		read_tree(document, findings);
	trainings_keep(document, document->overrides->training);
	if (!document->root)
		return NULL;
	if (document->shell) { /* keys that --set gives do not tell whose script it is */
		recognise(document, findings);
		layers_apply(document, findings);
	} else {
		layers_apply(document, findings);
		recognise(document, findings);
	}
	command_apply(document);
	launch_starter_read(document, document->launch);
	if (document->dialect && document->dialect->compose)
		document->dialect->compose(document, findings);
	if (document->shell && !document->no_job)
		document->no_job = launch_no_job(arena, document->launch);
	layers_expect(document, findings);
	collect_pins(document);
	return NULL;
}

unsigned document_release(const struct document *document, const char *framework,
			  const char *const *releases, const char **version)
{
	const struct pin *pin = NULL;
	size_t i;

	for (i = 0; i < document->pins.count; i++)
		if (!strcmp(document->pins.items[i].framework, framework))
			pin = &document->pins.items[i];
	for (i = 0; pin && pin->version && releases[i]; i++)
		if (!strcmp(pin->version, releases[i]) || !strcmp(pin->version, releases[i] + 1)) {
			*version = releases[i];
			return 1U << i;
		}
	return 0;
}
