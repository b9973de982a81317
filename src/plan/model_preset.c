#include "plan/model_preset.h"

#include "base/vec.h"
#include "plan/model.h"

#include <string.h>

const char *const *model_presets(struct arena *arena)
{
	VEC(const char *) names = { 0 };
	const struct preset_model *preset;

	for (preset = preset_models; preset->name; preset++)
		vec_push(arena, &names, preset->name);
	vec_push(arena, &names, NULL);
	return names.items;
}

static const struct preset_model *preset_find(const char *name)
{
	const struct preset_model *preset;

	for (preset = preset_models; preset->name; preset++)
		if (!strcmp(preset->name, name))
			return preset;
	return NULL;
}

/* Puts one setting below `model`, unless somebody set it. */
static void put(struct arena *arena, struct settings *settings, const struct preset_setting *row,
		const char *name)
{
	struct setting *setting;

	if (settings_of(settings, row->id)->origin != ORIGIN_UNSET)
		return;
	if (row->text)
		setting = settings_put_text(settings, row->id, row->text, ORIGIN_PRESET);
	else if (field_of(row->id)->type == FIELD_BOOL)
		setting = settings_put_bool(settings, row->id, row->number, ORIGIN_PRESET);
	else
		setting = settings_put_int(settings, arena, row->id, row->number, ORIGIN_PRESET);
	setting->note = name;
}

const struct family *model_preset_apply(struct arena *arena, struct settings *settings,
					const char *name)
{
	const struct preset_model *preset = preset_find(name);
	const char *family = NULL;
	size_t i;

	while (preset) {
		for (i = 0; i < preset->count; i++)
			put(arena, settings, &preset->settings[i], name);
		family = preset->family;
		preset = preset->like ? preset_find(preset->like) : NULL;
	}
	return family ? family_find(family) : NULL;
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
