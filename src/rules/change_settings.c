#include "rules/change.h"

#include "base/text.h"
#include "input/syntax/flow.h"

#include <string.h>

/* Lists and maps as YAML writes them. */
static const char *tree_text(struct arena *arena, const struct node *node)
{
	struct buf out;
	char *text;

	buf_init(&out);
	flow_node(&out, node);
	text = arena_strdup(arena, out.data);
	buf_release(&out);
	return text;
}

static bool is_tree(const struct setting *setting)
{
	enum field_type type = field_of(setting->field)->type;

	return type == FIELD_LIST || type == FIELD_NODE;
}

/* The bare value; NULL without one. */
static const char *value_text(struct arena *arena, const struct setting *setting)
{
	if (setting->origin == ORIGIN_UNSET)
		return NULL;
	if (setting->invalid)
		return "not usable";
	if (is_tree(setting))
		return setting->node ? tree_text(arena, setting->node) : NULL;
	return arena_strdup(arena, setting->text);
}

/* The value, and who chose it when nobody did: "1 (default)"; our default is none of a
 * framework's key. */
static const char *described(struct arena *arena, const struct setting *setting, const char *key)
{
	const char *value = value_text(arena, setting);

	if (!value || setting_given(setting))
		return value;
	switch (setting->origin) {
	case ORIGIN_DEFAULT:
		return setting->note || !strcmp(key, field_of(setting->field)->key)
			       ? arena_printf(arena, "%s (default)", value)
			       : NULL;
	case ORIGIN_PRESET:
		return arena_printf(arena, "%s (preset)", value);
	case ORIGIN_REGISTRY:
		return arena_printf(arena, "%s (registry)", value);
	case ORIGIN_PROJECT:
		return arena_printf(arena, "%s (project)", value);
	case ORIGIN_DERIVED:
		return arena_printf(arena, "%s (derived)", value);
	default:
		return value;
	}
}

/* Equal values may be spelled in two ways: 1e3 and 1000, 0x10 and 16. */
static bool same_value(struct arena *arena, const struct setting *a, const struct setting *b)
{
	const char *left, *right;

	if (setting_known(a) && setting_known(b)) {
		switch (field_of(a->field)->type) {
		case FIELD_INT:
			return a->integer == b->integer;
		case FIELD_REAL:
			return a->number == b->number;
		case FIELD_BOOL:
			return a->boolean == b->boolean;
		case FIELD_TEXT:
		case FIELD_LIST:
		case FIELD_NODE:
			break;
		}
	}
	left = value_text(arena, a);
	right = value_text(arena, b);
	if (a->field == FIELD_PP_SCHEDULE && left && right) /* looked up in lower case */
		return !strcmp(text_lower(arena, left), text_lower(arena, right));
	return left && right ? !strcmp(left, right) : left == right;
}

/* What a key comes to that means something else as well, or that says it in another way. */
static bool follows_key(const struct setting *setting)
{
	return setting->origin == ORIGIN_DERIVED && setting->key_span.source;
}

/* These have no key that is their own in every dialect, but somebody chose them. */
static bool is_chosen(const struct setting *setting)
{
	switch (setting->field) {
	case FIELD_MODEL_PRESET:
	case FIELD_EXPERIMENT:
	case FIELD_OBJECTIVE:
	case FIELD_REFERENCE_HELD:
	case FIELD_REFERENCE_PRECOMPUTED:
		return true;
	default:
		return setting_given(setting) || setting->invalid || follows_key(setting);
	}
}

/* True for keys of a feature that the job does not use. */
static bool is_idle(const struct job *job, enum field_id field)
{
	const char *key = field_of(field)->key;

	if (text_starts(key, "checkpoint."))
		return !setting_bool(&job->settings, FIELD_CHECKPOINT_ENABLED, false);
	if (text_starts(key, "parallelism.pipeline."))
		return setting_int(&job->settings, FIELD_PP, 1) == 1;
	return false;
}

/* Nobody chose, but the framework chooses otherwise, and it matters to both jobs. */
static bool defaults_count(const struct job *before, const struct job *after, enum field_id field)
{
	return before->settings.items[field].origin == ORIGIN_DEFAULT &&
	       after->settings.items[field].origin == ORIGIN_DEFAULT && !is_idle(before, field) &&
	       !is_idle(after, field);
}

/* As both files spell it, else the native key. */
static const char *spelled(struct arena *arena, const struct setting *a, const struct setting *b)
{
	const char *left = setting_given(a) ? a->spelling : NULL;
	const char *right = setting_given(b) ? b->spelling : NULL;

	if (left && right && strcmp(left, right) != 0)
		return field_of(a->field)->key;
	if (!left && !right)
		return field_of(a->field)->key;
	return arena_strdup(arena, left ? left : right);
}

void change_settings(struct changes *changes, const struct job *before, const struct job *after)
{
	struct arena *arena = changes->arena;
	const char *key;
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		const struct setting *a = &before->settings.items[id];
		const struct setting *b = &after->settings.items[id];
		if (id == FIELD_WORLD) /* compared as what it comes to */
			continue;
		if (!is_chosen(a) && !is_chosen(b) &&
		    !defaults_count(before, after, (enum field_id)id))
			continue;
		if (same_value(arena, a, b))
			continue;
		key = spelled(arena, a, b);
		change_add(changes, CHANGE_SETTING, key, described(arena, a, key),
			   described(arena, b, key))
			->field = field_of((enum field_id)id)->key;
	}
}
