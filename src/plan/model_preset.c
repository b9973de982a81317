#include "plan/model.h"

#include "base/die.h"
#include "input/node.h"
#include "input/preset_tree.h"

#include <string.h>

static const char folder[] = "models";

enum { LIKE_DEPTH = 4 };

const char *const *model_presets(struct arena *arena)
{
	return preset_names(arena, folder);
}

/* Puts one number into the setting of the same name below `model`, unless somebody set it. */
static void put_value(struct arena *arena, struct settings *settings, const char *key,
		      const struct node *value, const char *name)
{
	const enum field_id id = field_find(key);
	struct setting *setting;

	if (id == FIELD_COUNT)
		bug("preset %s: %s is no key", name, key);
	if (settings_of(settings, id)->origin != ORIGIN_UNSET)
		return;
	if (value->type == SCALAR_INT)
		setting = settings_put_int(settings, arena, id, value->integer, ORIGIN_PRESET);
	else if (value->type == SCALAR_BOOL)
		setting = settings_put_bool(settings, id, value->boolean, ORIGIN_PRESET);
	else
		setting = settings_put_text(settings, id, value->text, ORIGIN_PRESET);
	setting->note = name;
}

static bool about_the_file(const char *key)
{
	return !strcmp(key, "family") || !strcmp(key, "source") || !strcmp(key, "like") ||
	       !strcmp(key, "ids");
}

static void put_all(struct arena *arena, struct settings *settings, const char *at,
		    const struct node *map, const char *name)
{
	const struct node *member;

	for (member = map->first; member; member = member->next) {
		const char *key = arena_printf(arena, "%s.%s", at, member->key);
		if (member->kind == NODE_MAP)
			put_all(arena, settings, key, member, name);
		else if (!about_the_file(member->key))
			put_value(arena, settings, key, member, name);
	}
}

const struct family *model_preset_apply(struct arena *arena, struct settings *settings,
					const char *name)
{
	const struct node *root = preset_tree(arena, folder, name), *family = NULL;
	int depth;

	for (depth = 0; root; depth++) {
		const struct node *like = node_member(root, "like");
		if (depth > LIKE_DEPTH)
			bug("preset %s: like itself", name);
		put_all(arena, settings, "model", root, name);
		family = node_member(root, "family");
		root = like ? preset_tree(arena, folder, like->text) : NULL;
		if (like && !root)
			bug("preset %s: no preset %s", name, like->text);
	}
	return family ? family_find(family->text) : NULL;
}

struct model *model_of_preset(struct arena *arena, const char *name)
{
	struct settings *settings = arena_new(arena, struct settings);
	struct findings findings;

	settings_init(settings);
	findings_init(&findings, arena);
	settings_put_text(settings, FIELD_MODEL_PRESET, name, ORIGIN_GIVEN);
	return model_new(arena, settings, NAMING_TITAN, &findings);
}
