#include "lsp/look.h"

#include "base/bounds.h"
#include "base/io.h"
#include "base/path.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "input/syntax/reader.h"
#include "lsp/uri.h"
#include "rules/judge.h"
#include "rules/project.h"
#include "rules/expect.h"
#include "lsp/position.h"

#include <string.h>
#include <unistd.h>

/* ---- the process ---- */

/* As the other commands do for the files on their command line (cli/confine.h). */
static void confine(const struct look *look)
{
	const char *settings = project_find(look->arena, look->path);
	struct sandbox sandbox = { .programs = false };
	const char *root = bounds_of(look->arena, look->path);

	if (root)
		vec_push(look->arena, &sandbox.reads, root);
	if (look->options->settings)
		vec_push(look->arena, &sandbox.reads, look->options->settings);
	if (settings)
		vec_push(look->arena, &sandbox.reads, path_absolute(look->arena, settings));
	if (look->options->overrides->allow_outside)
		vec_push(look->arena, &sandbox.reads, "/");
	sandbox_enter(&sandbox);
}

/* The current folder becomes that of the file, so that messages name it as people there do. */
static void settle_down(struct look *look)
{
	const char *path = look->text->path, *slash = strrchr(path, '/');

	look->path = path;
	if (look->text->file && slash && !chdir(path_folder(look->arena, path)))
		look->path = slash + 1;
	if (look->options->sandbox)
		confine(look);
}

/* ---- the settings of a repository ---- */

/* What the editor holds of a file, or what is on the disk; NULL where it cannot be read. */
static const char *text_of(const struct look *look, const char *path, size_t *length)
{
	const char *whole = path_absolute(look->arena, path);
	struct io_text text;
	size_t i;

	for (i = 0; i < look->store->list.count; i++) {
		const struct open_text *held = look->store->list.items[i];
		if (!held->file || strcmp(held->path, whole) != 0)
			continue;
		*length = held->text.length;
		return held->text.data;
	}
	text = look->options->settings
		       ? io_read(look->arena, path, READER_BYTES)
		       : bounds_read(look->arena, bounds_of(look->arena, path), path, READER_BYTES);
	*length = text.length;
	return text.text;
}

static void read_project(struct look *look, const char *path)
{
	struct project *project = arena_new(look->arena, struct project);
	size_t length = 0;
	const char *text = path ? text_of(look, path, &length) : NULL;

	if (!text)
		return;
	project_read(project, look->arena, path, text, length);
	project_judge(project);
	look->project = project;
}

static void look_at_settings(struct look *look)
{
	struct project *project = arena_new(look->arena, struct project);

	project_read(project, look->arena, look->path, look->text->text.data,
		     look->text->text.length);
	project_judge(project);
	look->settings = look->known = true;
	look->source = project->source;
	look->root = project->root;
	*look->findings = project->findings;
}

/* ---- a config ---- */

static const char *without_line(struct arena *arena, const struct open_text *text, int64_t line)
{
	char *copy = arena_strndup(arena, text->text.data, text->text.length), *at = copy;

	for (; line > 0 && (at = strchr(at, '\n')); line--)
		at++;
	for (; line == 0 && at && *at && *at != '\n'; at++)
		if (*at != '\r')
			*at = ' ';
	return copy;
}

/* The open texts, but for the one that is looked at. */
static void put_overlays(const struct look *look, struct overrides *overrides)
{
	struct overlay overlay;
	size_t i;

	memset(&overrides->overlays, 0, sizeof(overrides->overlays));
	for (i = 0; i < look->store->list.count; i++) {
		const struct open_text *held = look->store->list.items[i];
		overlay = (struct overlay) { held->path, held->text.data, held->text.length };
		if (held->file && held != look->text)
			vec_push(look->arena, &overrides->overlays, overlay);
	}
}

static void judge_job(struct look *look)
{
	struct levels levels = { 0 };

	if (look->project)
		project_levels(look->project, look->arena, &levels);
	judge_file(&levels, &look->job, &look->skips);
}

static void read_job(struct look *look, int64_t typed)
{
	struct overrides *overrides = overrides_copy(look->arena, look->options->overrides);
	const char *error;

	overrides->text =
		typed >= 0 ? without_line(look->arena, look->text, typed) : look->text->text.data;
	overrides->in_folder = look->text->file;
	overrides->project = look->project;
	put_overlays(look, overrides);
	findings_init(look->findings, look->arena);
	error = job_read(&look->job, look->arena, look->path, overrides, look->findings);
	look->source = look->job.document.source;
	look->known = !error && look->job.document.dialect && !look->job.document.no_job;
	look->root = error ? NULL : look->job.document.root;
}

/* The line of the first error that no tree could be made for, from 0; -1: none. */
static int64_t broken_line(const struct look *look)
{
	size_t i;

	for (i = 0; i < look->findings->list.count; i++)
		if (look->findings->list.items[i]->rule == &rule_syntax)
			return (int64_t)look->findings->list.items[i]->span.line - 1;
	return -1;
}

/* A text that is no tree is a config when it is one without the line that is wrong. */
static bool would_be_known(const struct look *look)
{
	struct look other = *look;
	const int64_t line = broken_line(look);

	if (look->job.readable || line < 0)
		return false;
	other.findings = arena_new(look->arena, struct findings);
	read_job(&other, line);
	return other.known;
}

void look_at(struct look *look, int64_t typed)
{
	look->findings = arena_new(look->arena, struct findings);
	findings_init(look->findings, look->arena);
	settle_down(look);
	if (!strcmp(look->path, PROJECT_FILE)) {
		look_at_settings(look);
		return;
	}
	if (!look->options->no_settings)
		read_project(look, look->options->settings ? look->options->settings
							   : project_find(look->arena, look->path));
	read_job(look, typed);
	if (look->known)
		judge_job(look);
	else if (typed < 0)
		look->known = would_be_known(look);
}

/* ---- what it holds ---- */

void look_vocabulary(struct look *look, struct vocabulary *vocabulary)
{
	const struct document *document = &look->job.document;

	*vocabulary = (struct vocabulary) { .arena = look->arena };
	if (look->settings) {
		project_vocabulary(vocabulary, look->arena);
		project_rule_names(vocabulary);
	} else if (document->dialect) {
		vocabulary_of(vocabulary, look->arena, document->dialect,
			      document->inferred ? document->low : document->high,
			      document->high ? document->high : MOMENT_LATEST, document);
		if (document->dialect->holds_expect)
			expect_vocabulary(vocabulary);
	}
}

static bool is_at(const struct look *look, const struct node *node, size_t offset)
{
	return position_within(look->source, node->span, offset) ||
	       position_within(look->source, node->key_span, offset);
}

const struct node *look_node(const struct look *look, size_t offset)
{
	const struct node *node = look->root, *child, *found = NULL;

	while (node) {
		for (child = node->first; child && !is_at(look, child, offset);)
			child = child->next;
		found = child ? child : found;
		node = child;
	}
	return found;
}

static bool same_place(struct span left, struct span right)
{
	return span_known(left) && left.source == right.source && left.line == right.line &&
	       left.column == right.column;
}

const struct setting *look_setting(const struct look *look, const struct node *node)
{
	const struct setting *setting, *found = NULL;
	int id;

	for (id = 0; look->job.readable && id < FIELD_COUNT; id = field_next(id)) {
		setting = &look->job.settings.items[id];
		if (setting->origin != ORIGIN_UNSET &&
		    (same_place(setting->key_span, node->key_span) ||
		     (setting_given(setting) && same_place(setting->span, node->span))))
			found = found && !same_place(setting->key_span, node->key_span) ? found
											: setting;
	}
	return found;
}

const char *look_path(const struct look *look, const struct node *node)
{
	return node_path(look->arena, node);
}

const char *look_uri(const struct look *look, struct span span)
{
	if (!span_known(span) || span.source == look->source)
		return look->text->uri;
	return io_exists(span.source->path) ? uri_of(look->arena, span.source->path) : NULL;
}
