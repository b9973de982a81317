#include "report/known_words.h"

#include "cost/profile.h"
#include "plan/model.h"
#include "sim/schedule.h"

static const char *joined(struct arena *arena, const char *const *names)
{
	const char *words = *names;

	while (words && *++names)
		words = arena_join(arena, words, "|", *names);
	return words;
}

static const char *names_of_schedules(struct arena *arena)
{
	const struct schedule *const *schedule;
	const char *words = NULL;

	for (schedule = schedules; *schedule; schedule++)
		words = words ? arena_join(arena, words, "|", (*schedule)->name)
			      : (*schedule)->name;
	return words;
}

const char *known_words(struct arena *arena, enum field_id field)
{
	if (field == FIELD_MODEL_PRESET)
		return joined(arena, model_presets(arena));
	if (field == FIELD_CLUSTER_GPU)
		return joined(arena, profile_gpus(arena));
	return field == FIELD_PP_SCHEDULE ? names_of_schedules(arena) : NULL;
}
