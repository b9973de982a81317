#include "input/setting.h"

#include "base/buf.h"
#include "base/die.h"
#include "base/text.h"
#include "input/node.h"

#include <inttypes.h>
#include <string.h>

/* What "words" of a row are of a number: its range. */
#define IS_NUMBER(type) (FIELD_##type == FIELD_REAL || FIELD_##type == FIELD_INT)

static const struct field fields[FIELD_COUNT] = {
#define FIELD(id, key, type, words, fallback, help)                                                \
	[FIELD_##id] = { key,                                                                      \
			 FIELD_##type,                                                             \
			 IS_NUMBER(type) ? NULL : (words),                                         \
			 IS_NUMBER(type) ? (words) : NULL,                                         \
			 fallback,                                                                 \
			 help },
#define FIELDS_FROM(number)
#include "input/fields.def"
#undef FIELDS_FROM
#undef FIELD
};

const struct field *field_of(enum field_id id)
{
	return &fields[id];
}

int field_next(int id)
{
	do
		id++;
	while (id < FIELD_COUNT && !fields[id].key);
	return id;
}

enum field_id field_find(const char *key)
{
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		if (!strcmp(fields[id].key, key))
			break;
	return (enum field_id)id;
}

static void put_default(struct setting *setting, const struct field *field)
{
	setting->origin = ORIGIN_DEFAULT;
	setting->text = field->fallback;
	switch (field->type) {
	case FIELD_INT:
		if (!text_to_int(field->fallback, &setting->integer))
			bug("default of %s", field->key);
		break;
	case FIELD_BOOL:
		setting->boolean = !strcmp(field->fallback, "true");
		break;
	case FIELD_TEXT:
		break;
	case FIELD_REAL:
	case FIELD_LIST:
	case FIELD_NODE:
		bug("default of %s", field->key);
	}
}

void setting_forget(struct settings *settings, enum field_id id)
{
	struct setting *setting = &settings->items[id];

	*setting = (struct setting) { .field = id, .spelling = fields[id].key };
	if (fields[id].fallback)
		put_default(setting, &fields[id]);
}

void settings_init(struct settings *settings)
{
	int id;

	memset(settings, 0, sizeof(*settings));
	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		setting_forget(settings, (enum field_id)id);
}

struct setting *settings_of(struct settings *settings, enum field_id id)
{
	return &settings->items[id];
}

bool setting_known(const struct setting *setting)
{
	return setting->origin != ORIGIN_UNSET && !setting->invalid;
}

bool setting_unresolved(const struct settings *settings, enum field_id id)
{
	return settings->items[id].unresolved != NULL;
}

bool setting_given(const struct setting *setting)
{
	return setting->origin == ORIGIN_GIVEN || setting->origin == ORIGIN_FLAG ||
	       setting->origin == ORIGIN_SET || setting->origin == ORIGIN_LAUNCH;
}

bool setting_said(const struct setting *setting)
{
	return setting_given(setting) || setting->origin == ORIGIN_PROJECT;
}

static struct setting *fresh(struct settings *settings, enum field_id id, enum origin origin)
{
	struct setting *setting = &settings->items[id];
	bool doubtful = setting->doubtful;

	memset(setting, 0, sizeof(*setting));
	setting->field = id;
	setting->doubtful = doubtful;
	setting->spelling = fields[id].key;
	setting->origin = origin;
	return setting;
}

struct setting *settings_put_int(struct settings *settings, struct arena *arena, enum field_id id,
				 int64_t value, enum origin origin)
{
	struct setting *setting = fresh(settings, id, origin);

	setting->integer = value;
	setting->number = (double)value;
	setting->text = arena_printf(arena, "%" PRId64, value);
	return setting;
}

struct setting *settings_put_bool(struct settings *settings, enum field_id id, bool value,
				  enum origin origin)
{
	struct setting *setting = fresh(settings, id, origin);

	setting->boolean = value;
	setting->text = value ? "true" : "false";
	return setting;
}

struct setting *settings_put_text(struct settings *settings, enum field_id id, const char *value,
				  enum origin origin)
{
	struct setting *setting = fresh(settings, id, origin);

	setting->text = value;
	return setting;
}

void setting_from(struct setting *setting, const struct setting *parent)
{
	if (setting->parent_count < (int)(sizeof(setting->parents) / sizeof(setting->parents[0])))
		setting->parents[setting->parent_count++] = parent;
}

int64_t setting_int(const struct settings *settings, enum field_id id, int64_t otherwise)
{
	const struct setting *setting = &settings->items[id];

	return setting_known(setting) ? setting->integer : otherwise;
}

bool setting_bool(const struct settings *settings, enum field_id id, bool otherwise)
{
	const struct setting *setting = &settings->items[id];

	return setting_known(setting) ? setting->boolean : otherwise;
}

const char *setting_text(const struct settings *settings, enum field_id id, const char *otherwise)
{
	const struct setting *setting = &settings->items[id];

	return setting_known(setting) ? setting->text : otherwise;
}

bool setting_lists(const struct settings *settings, enum field_id id, const char *word)
{
	const struct setting *setting = &settings->items[id];
	const struct node *item;

	if (!setting_known(setting) || !setting->node)
		return false;
	for (item = setting->node->first; item; item = item->next)
		if (item->kind == NODE_SCALAR && !strcmp(item->text, word))
			return true;
	return false;
}

static const char *origin_words(enum origin origin)
{
	switch (origin) {
	case ORIGIN_UNSET:
		return "not set";
	case ORIGIN_DEFAULT:
		return "default";
	case ORIGIN_GIVEN:
		return "given";
	case ORIGIN_FLAG:
		return "command line";
	case ORIGIN_SET:
		return "option";
	case ORIGIN_LAUNCH:
		return "launch line";
	case ORIGIN_PRESET:
		return "preset";
	case ORIGIN_REGISTRY:
		return "registry function";
	case ORIGIN_PROJECT:
		return "project settings";
	case ORIGIN_DERIVED:
		return "derived";
	case ORIGIN_MEASURED:
		return "measured";
	}
	return "?";
}

char *setting_where(struct arena *arena, const struct setting *setting)
{
	if (span_known(setting->span))
		return arena_printf(arena, "%s:%" PRIu32 ":%" PRIu32,
				    text_on_line(arena, setting->span.source->path),
				    setting->span.line, setting->span.column);
	if (setting->note)
		return arena_printf(arena, "%s: %s", origin_words(setting->origin), setting->note);
	return arena_strdup(arena, origin_words(setting->origin));
}
