#include "report/origin.h"

#include "base/text.h"
#include "framework/casting.h"
#include "input/range.h"
#include "report/plan/view.h"
#include "rules/expect.h"

#include <stdio.h>
#include <string.h>

static const char *const type_names[] = {
	[FIELD_INT] = "integer", [FIELD_REAL] = "number", [FIELD_BOOL] = "true or false",
	[FIELD_TEXT] = "text",	 [FIELD_LIST] = "list",	  [FIELD_NODE] = "map or list",
};

/* True when `name` is `word` or ends in ".word". */
static bool ends_in(const char *name, const char *word)
{
	size_t length = strlen(name), tail = strlen(word);

	if (!strcmp(name, word))
		return true;
	return length > tail && name[length - tail - 1] == '.' && text_ends(name, word);
}

const struct setting *origin_find(const struct job *job, const char *word)
{
	const struct setting *found = NULL;
	int i;

	for (i = 0; i < FIELD_COUNT; i = field_next(i)) {
		const struct setting *setting = &job->settings.items[i];

		if (!strcmp(field_of((enum field_id)i)->key, word) ||
		    (setting->spelling && !strcmp(setting->spelling, word)))
			return setting;
		if (!found && (ends_in(field_of((enum field_id)i)->key, word) ||
			       (setting->spelling && ends_in(setting->spelling, word))))
			found = setting;
	}
	return found;
}

const char *origin_nearest(const struct job *job, const char *word)
{
	VEC(const char *) names = { 0 };
	bool dotted = strchr(word, '.') != NULL;
	int i;

	for (i = 0; i < FIELD_COUNT; i = field_next(i)) {
		const char *spelling = job->settings.items[i].spelling;
		const char *key = field_of((enum field_id)i)->key, *dot = strrchr(key, '.');

		vec_push(job->arena, &names, dotted || !dot ? key : dot + 1);
		dot = spelling ? strrchr(spelling, '.') : NULL;
		if (spelling)
			vec_push(job->arena, &names, dotted || !dot ? spelling : dot + 1);
	}
	return text_nearest(word, names.items, names.count);
}

const char *origin_value(const struct setting *setting)
{
	if (setting->origin == ORIGIN_UNSET)
		return "not set";
	if (setting->invalid)
		return "not usable (see check)";
	return setting->text ? setting->text : "?";
}

static const char *origin_text(const struct setting *setting)
{
	switch (setting->origin) {
	case ORIGIN_UNSET:
		return "and it has no default";
	case ORIGIN_DEFAULT:
		return "default";
	case ORIGIN_GIVEN:
		return "given in the file";
	case ORIGIN_FLAG:
		return "given by a flag after \"--\"";
	case ORIGIN_SET:
		return "given by an option";
	case ORIGIN_LAUNCH:
		return "given by the launch line";
	case ORIGIN_PRESET:
		return "from the preset";
	case ORIGIN_REGISTRY:
		return "set by";
	case ORIGIN_PROJECT:
		return "from the project's settings";
	case ORIGIN_DERIVED:
		return "derived";
	case ORIGIN_MEASURED:
		return "measured";
	}
	return "?";
}

static void put_source(const struct setting *setting, struct buf *out)
{
	buf_text(out, origin_text(setting));
	if (setting->note)
		buf_printf(out, "%s %s",
			   setting->origin == ORIGIN_PRESET || setting->origin == ORIGIN_REGISTRY
				   ? ""
				   : ":",
			   setting->note);
	if (span_known(setting->span))
		buf_printf(out, " (%s:%u:%u)", setting->span.source->path,
			   (unsigned int)setting->span.line, (unsigned int)setting->span.column);
	if (setting_given(setting) && setting->spelling &&
	    strcmp(setting->spelling, field_of(setting->field)->key) != 0)
		buf_printf(out, ", written %s", setting->spelling);
}

char *origin_source(struct arena *arena, const struct setting *setting)
{
	struct buf text;
	char *source;

	buf_init(&text);
	put_source(setting, &text);
	source = arena_strdup(arena, text.data);
	buf_release(&text);
	return source;
}

/* "parallelism.tp = 8, given in the file (train.yaml:9:7)". */
static void put_line(const struct setting *setting, struct buf *out)
{
	buf_printf(out, "%s = %s, ", field_of(setting->field)->key, origin_value(setting));
	put_source(setting, out);
}

static void put_chain(const struct job *job, const struct setting *setting, int depth,
		      const struct style *style, struct buf *out)
{
	enum { DEEPEST = 6 };
	struct buf text;
	int i;

	buf_init(&text);
	put_line(setting, &text);
	buf_repeat(out, ' ', (size_t)(2 * depth));
	wrap_text(out, text_on_line(job->arena, text.data), 2 * depth, 2 * depth + 4,
		  style->columns);
	buf_char(out, '\n');
	buf_release(&text);
	if (setting->parent_count && depth < DEEPEST) {
		buf_repeat(out, ' ', (size_t)(2 * depth + 2));
		buf_text(out, "from\n");
	}
	for (i = 0; i < setting->parent_count && depth < DEEPEST; i++)
		put_chain(job, setting->parents[i], depth + 2, style, out);

	if (setting->overridden && depth < DEEPEST) {
		buf_repeat(out, ' ', (size_t)(2 * depth + 2));
		buf_text(out, "instead of\n");
		put_chain(job, setting->overridden, depth + 2, style, out);
	}
}

/* The source line, marked like a finding. */
static void put_excerpt(const struct job *job, const struct setting *setting,
			const struct style *style, struct buf *out)
{
	struct finding place = { .span = setting->span, .severity = SEVERITY_NOTE };

	excerpt_write(job->arena, &place, style, out);
}

int64_t origin_resolved(const struct job *job, const struct setting *setting)
{
	const struct degree_row *row;
	int64_t value;

	for (row = degree_rows; job->applied && row->name; row++) {
		if (row->field != setting->field)
			continue;
		value = degree_shown(job, job->applied, row);
		return value > 0 && value != setting->integer ? value : 0;
	}
	return 0;
}

static const char *type_of(struct arena *arena, const struct field *field)
{
	return field->range ? range_words(arena, field->range, field->type == FIELD_INT)
			    : type_names[field->type];
}

void origin_explain(const struct job *job, const struct setting *setting, const struct style *style,
		    struct buf *out)
{
	const struct field *field = field_of(setting->field);
	const char *asked, *type = casting_lost(job, &asked);

	put_chain(job, setting, 0, style, out);
	put_excerpt(job, setting, style, out);
	if (origin_resolved(job, setting))
		buf_printf(out, "It comes to %lld in a world of %lld ranks.\n",
			   (long long)origin_resolved(job, setting), (long long)job->world);
	if (type && setting->field == FIELD_PARAM_DTYPE)
		buf_printf(out, "It comes to %s: without fully_shard nothing casts.\n", type);
	wrap_text(out,
		  arena_printf(job->arena, "Meaning: %s (%s%s%s%s%s)", field->help,
			       type_of(job->arena, field), field->words ? ": " : "",
			       field->words ? field->words : "",
			       field->fallback ? "; default " : "",
			       field->fallback ? field->fallback : ""),
		  0, 2, style->columns);
	buf_char(out, '\n');
}

void origin_list(const struct job *job, const struct style *style, struct buf *out)
{
	struct buf text;
	int i;

	buf_init(&text);
	for (i = 0; i < FIELD_COUNT; i = field_next(i)) {
		if (job->settings.items[i].origin == ORIGIN_UNSET)
			continue;
		buf_clear(&text);
		put_line(&job->settings.items[i], &text);
		wrap_text(out, text_on_line(job->arena, text.data), 0, 4, style->columns);
		buf_char(out, '\n');
	}
	buf_release(&text);
}

/* One key of a list of keys; `words` and `fallback` may be NULL. */
static void put_key(const struct style *style, struct buf *out, const char *key, const char *type,
		    const char *fallback, const char *help, const char *words)
{
	style_put(style, out, COLOR_BOLD);
	buf_text(out, key);
	style_put(style, out, COLOR_PLAIN);
	buf_printf(out, " (%s", type);
	if (fallback)
		buf_printf(out, ", default %s", fallback);
	buf_text(out, ")\n    ");
	wrap_text(out, help, 4, 4, style->columns);
	buf_char(out, '\n');
	if (words)
		buf_printf(out, "    one of %s\n", words);
}

void origin_keys(const struct style *style, struct arena *arena, struct buf *out)
{
	const struct expectation *row;
	struct buf key;
	int i;

	for (i = 0; i < FIELD_COUNT; i = field_next(i)) {
		const struct field *field = field_of((enum field_id)i);
		put_key(style, out, field->key, type_of(arena, field), field->fallback, field->help,
			field->words);
	}
	buf_init(&key);
	for (row = expectations; row->name; row++) {
		buf_clear(&key);
		buf_printf(&key, "expect.%s", row->name);
		put_key(style, out, key.data, shape_name(row->shape), NULL, row->help, row->words);
	}
	buf_release(&key);
}
