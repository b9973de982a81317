#include "report/convert/native_yaml.h"

#include "base/text.h"
#include "framework/conversion.h"
#include "framework/wing.h"
#include "input/field.h"
#include "input/syntax/flow.h"
#include "input/node.h"

#include <string.h>

struct writer {
	const struct job *job;
	struct buf *out;
	const struct settings *wider; /* of the same config on more ranks; NULL: not asked for */
	bool by_file;		      /* origins with the file's name */
	char section[128];	      /* the map that is open, "" at the top */
};

static bool is_count(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* A word that the field takes as a number or a keyword, not as text. */
static bool is_bare(const struct setting *setting)
{
	const char *words = field_of(setting->field)->words;

	if (setting->field == FIELD_CUDA_GRAPH)
		return flow_is_keyword(setting->text);
	return is_count(setting->text) &&
	       (setting->field == FIELD_LAUNCH_PER_NODE || (words && words_have(words, "N")));
}

/* What could not be read as one may be any text. */
static bool is_number(const char *text)
{
	return !text[strspn(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "_+-.")];
}

static void put_value(struct buf *out, const struct setting *setting)
{
	if (setting->unresolved) {
		buf_text(out, "unknown");
		return;
	}
	switch (field_of(setting->field)->type) {
	case FIELD_LIST:
	case FIELD_NODE:
		flow_node(out, setting->node);
		return;
	case FIELD_TEXT:
		if (is_bare(setting))
			buf_text(out, setting->text);
		else
			flow_text(out, setting->text);
		return;
	case FIELD_INT:
	case FIELD_REAL:
	case FIELD_BOOL:
		if (is_number(setting->text))
			buf_text(out, setting->text);
		else
			flow_text(out, setting->text);
		return;
	}
}

static void put_origin(struct writer *w, const struct setting *setting)
{
	struct span span = setting->span;

	if (w->by_file) {
		buf_text(w->out, "  # ");
		conversion_where(w->job, setting, w->out);
		buf_char(w->out, '\n');
		return;
	}
	if (!span_known(span)) {
		buf_printf(w->out, "  # %s\n",
			   text_on_line(w->job->arena, setting_where(w->job->arena, setting)));
		return;
	}
	if (span.source == w->job->document.source)
		buf_printf(w->out, "  # line %u", (unsigned int)span.line);
	else
		buf_printf(w->out, "  # %s", conversion_file(w->job->arena, span.source->path));
	if (strcmp(setting->spelling, field_of(setting->field)->key) != 0)
		buf_printf(w->out, ": %s", text_on_line(w->job->arena, setting->spelling));
	buf_char(w->out, '\n');
}

/* Opens the maps of `key` that are not open yet; returns its last part. */
static const char *open_sections(struct writer *w, const char *key)
{
	size_t same = 0, at = 0, depth = 0;

	while (key[at] && key[at] == w->section[at] && w->section[at]) {
		at++;
		if (w->section[at] == '.' || !w->section[at])
			same = key[at] == '.' ? at : same;
	}
	for (at = 0; at < same; at++)
		depth += key[at] == '.';
	depth += same > 0;
	at = same + (same > 0);
	for (; strchr(key + at, '.'); depth++) {
		size_t length = strcspn(key + at, ".");
		buf_printf(w->out, "%*s%.*s:\n", (int)depth * 2, "", (int)length, key + at);
		at += length + 1;
	}
	memset(w->section, 0, sizeof(w->section));
	if (at > 0 && at < sizeof(w->section))
		memcpy(w->section, key, at - 1);
	buf_repeat(w->out, ' ', depth * 2);
	return key + at;
}

/* What the dialect took of the ranks it knew is another number on other ranks: -1, the rest. */
static bool is_rest(const struct writer *w, const struct setting *setting)
{
	return w->wider && setting_known(setting) &&
	       (setting->field == FIELD_DP_SHARD || setting->field == FIELD_DP_REPLICATE) &&
	       setting->integer != setting_int(w->wider, setting->field, setting->integer);
}

/* The model's name, for which only the framework's dialect has a default, and its like. */
static bool is_named(const struct setting *setting)
{
	return setting->field == FIELD_MODEL_PRESET || setting->field == FIELD_EXPERIMENT ||
	       (setting->field == FIELD_FLOAT8_ENABLED && setting->boolean);
}

/* The file that zero_config names says it: beside that name the trainer would refuse it. */
static bool is_of_zero_file(const struct writer *w, const struct setting *setting)
{
	const char *file = setting_text(&w->job->settings, FIELD_ZERO_CONFIG, NULL);

	return file && span_known(setting->span) && text_ends(setting->span.source->path, file) &&
	       setting->span.source != w->job->document.source;
}

/* Whether it stands below `defaults`: nobody said it. */
static bool is_taken(const struct writer *w, const struct setting *setting)
{
	if (is_of_zero_file(w, setting))
		return true;
	return !is_named(setting) && !setting->unresolved && !setting_given(setting);
}

static void put_setting(struct writer *w, const struct setting *setting)
{
	const char *key = field_of(setting->field)->key;

	if (is_taken(w, setting))
		key = arena_join(w->job->arena, "defaults.", key, "");
	buf_printf(w->out, "%s: ", open_sections(w, key));
	if (!setting->unresolved && is_rest(w, setting))
		buf_text(w->out, "-1");
	else
		put_value(w->out, setting);
	put_origin(w, setting);
}

static bool is_written(const struct setting *setting)
{
	if (setting->unresolved)
		return true;
	return setting_known(setting) && (setting_given(setting) || is_named(setting));
}

static void put_versions(struct writer *w)
{
	const struct versions *versions = &w->job->versions;
	bool open = false;
	size_t i;

	for (i = 0; i < versions->list.count; i++) {
		const struct version *version = &versions->list.items[i];
		if (version->origin == VERSION_COMPANION)
			continue;
		buf_text(w->out, open ? "" : "framework:\n");
		open = true;
		buf_printf(w->out, "  %s: ", version->framework);
		flow_text(w->out, version->label);
		if (version->origin == VERSION_INFERRED)
			buf_printf(w->out, "  # inferred: fits %s to %s", version->oldest,
				   version->newest);
		else if (version->origin == VERSION_MODELLED)
			buf_text(w->out, "  # as modelled");
		else if (span_known(version->span))
			buf_printf(w->out, "  # %s",
				   conversion_file(w->job->arena, version->span.source->path));
		buf_char(w->out, '\n');
	}
}

static void put_head(struct writer *w)
{
	const struct document *document = &w->job->document;

	buf_printf(w->out, "# A native config, made from %s (%s).\nparplan: 1\n",
		   conversion_file(w->job->arena, document->source->path), document->dialect->name);
	put_versions(w);
}

/* Sizes that make no model, because one of them is not known, would be an error where none was. */
static bool is_left_out(const struct writer *w, enum field_id id)
{
	const struct job *job = w->job;

	if (!w->by_file)
		return false;
	return !job->model && id >= FIELD_MODEL_ARCH && id <= FIELD_MODEL_DTYPES;
}

static void put_left_out(struct writer *w, const struct setting *setting)
{
	buf_printf(w->out, "# %s: ", field_of(setting->field)->key);
	put_value(w->out, setting);
	put_origin(w, setting);
}

/* Defaults follow from the version, which is written. */
static bool defaults_follow(const struct job *job)
{
	return file_does(job, HABIT_TRAINER);
}

static bool is_said(const struct job *job, const struct setting *setting)
{
	const enum field_type type = field_of(setting->field)->type;

	if (!setting_known(setting) ||
	    ((type == FIELD_LIST || type == FIELD_NODE) && !setting->node))
		return false;
	if (setting->origin != ORIGIN_DEFAULT)
		return true;
	return !defaults_follow(job) || is_written(setting);
}

/* What the framework's model reads of its own file, for which there are no native keys. */
static struct node *own_of(const struct job *job)
{
	const char *const *path = job->framework ? job->framework->own_keys : NULL;
	static const struct span nowhere = { 0 };
	struct node *own = NULL, *value;

	for (; path && *path; path++) {
		value = node_find(job_own(job), *path);
		if (!value)
			continue;
		own = own ? own : node_container(job->arena, NODE_MAP, nowhere);
		node_put(job->arena, own, *path, node_copy(job->arena, value));
	}
	return own;
}

static void put_own(const struct job *job, struct buf *out)
{
	const struct node *own = own_of(job);

	if (!own || job->settings.items[FIELD_OWN].node)
		return;
	buf_text(out, "own: ");
	flow_node(out, own);
	buf_char(out, '\n');
}

/* That nothing is left open is said even where the framework's reader takes nothing. */
static void put_whole(struct writer *w, bool taken)
{
	if (!taken && job_says_all(w->job) && !defaults_follow(w->job))
		buf_text(w->out, "defaults: {}\n");
}

static void put_kept(struct writer *w, const bool *kept)
{
	const struct setting *items = w->job->settings.items;
	bool taken = false;
	int id;

	memset(w->section, 0, sizeof(w->section));
	put_head(w);
	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		if (kept[id] && is_left_out(w, (enum field_id)id))
			put_left_out(w, &items[id]);
	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		if (kept[id] && !is_left_out(w, (enum field_id)id) && !is_taken(w, &items[id]))
			put_setting(w, &items[id]);
	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		if (kept[id] && !is_left_out(w, (enum field_id)id) && is_taken(w, &items[id])) {
			put_setting(w, &items[id]);
			taken = true;
		}
	put_whole(w, taken);
	put_own(w->job, w->out);
}

/* Whether a native config must say it: the text read back has another value there. */
static bool is_lost(const struct setting *setting, const struct setting *back)
{
	const enum field_type type = field_of(setting->field)->type;

	if (!setting_known(setting) || setting->origin == ORIGIN_PRESET)
		return false;
	if (type == FIELD_LIST || type == FIELD_NODE)
		return setting->node && !back->node;
	return !setting_known(back) || strcmp(setting->text, back->text) != 0;
}

/* Whether it follows from what is lost itself. */
static bool follows_lost(const struct setting *setting, const struct settings *back)
{
	int i;

	for (i = 0; setting->origin == ORIGIN_DERIVED && i < setting->parent_count; i++)
		if (setting->parents[i]->field != setting->field &&
		    is_lost(setting->parents[i], &back->items[setting->parents[i]->field]))
			return true;
	return false;
}

/* Keeps what reading the text back would lose; true when that is more than before. */
static bool keep_lost(const struct job *job, bool *kept, const struct buf *text)
{
	struct overrides overrides = { .text = text->data };
	struct findings findings;
	struct job back;
	bool more = false;
	int id;

	findings_init(&findings, job->arena);
	if (job_read(&back, job->arena, "<native>", &overrides, &findings) || !back.readable)
		return false;
	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		if (kept[id] || !is_lost(&job->settings.items[id], &back.settings.items[id]) ||
		    follows_lost(&job->settings.items[id], &back.settings))
			continue;
		kept[id] = more = true;
	}
	return more;
}

/* The settings of the same config on twice as many ranks, or NULL. */
static const struct settings *settings_of_wider(const struct job *job)
{
	struct overrides *overrides = overrides_copy(job->arena, job->document.overrides);
	struct findings *findings = arena_new(job->arena, struct findings);
	struct job *wider = arena_new(job->arena, struct job);

	overrides->world = job->world ? 2 * job->world : 2;
	overrides->text = job->document.source->text;
	findings_init(findings, job->arena);
	if (job_read(wider, job->arena, job->document.source->path, overrides, findings) ||
	    !wider->readable)
		return NULL;
	return &wider->settings;
}

/* Writes what is kept, and what reading that back would lose. */
static void put_all(struct writer *w, bool *kept)
{
	do {
		buf_clear(w->out);
		put_kept(w, kept);
	} while (keep_lost(w->job, kept, w->out));
}

void report_native_yaml(const struct job *job, struct buf *out)
{
	struct writer writer = { .job = job, .out = out, .wider = settings_of_wider(job) };
	bool kept[FIELD_COUNT];
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		kept[id] = is_written(&job->settings.items[id]) ||
			   is_rest(&writer, &job->settings.items[id]);
	put_all(&writer, kept);
}

void report_native_yaml_whole(const struct job *job, const struct settings *said, struct buf *out)
{
	struct writer writer = { .job = job, .out = out, .by_file = true };
	bool kept[FIELD_COUNT];
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		kept[id] = said->items[id].unresolved || is_said(job, &said->items[id]);
	put_all(&writer, kept);
}
