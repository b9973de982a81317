#include "framework/unit_map.h"

#include "base/text.h"

#include <string.h>

static int *filled(struct arena *arena, size_t count)
{
	int *items = arena_array(arena, count, sizeof(*items));
	size_t i;

	for (i = 0; i < count; i++)
		items[i] = -1;
	return items;
}

static bool is_output(const char *module)
{
	return !strcmp(module, "output") || !strcmp(module, "lm_head");
}

static void place(struct unit_map *map, const struct model *model, const char *module, int stage)
{
	int64_t layer;
	int *at = NULL;

	if (!strcmp(module, "tok_embeddings"))
		at = &map->stage_of_embedding;
	else if (!strcmp(module, "norm"))
		at = &map->stage_of_norm;
	else if (is_output(module))
		at = &map->stage_of_output;
	else if (text_starts(module, "layers.") &&
		 text_to_int(module + strlen("layers."), &layer) && layer >= 0 &&
		 layer < model->layers)
		at = &map->stage_of_layer[layer];
	if (at && *at < 0)
		*at = stage;
}

void unit_map_init(struct unit_map *map, struct plan *plan, const struct model *model)
{
	const size_t layers = (size_t)model->layers;
	size_t i, j;

	map->arena = plan->arena;
	map->stage_of_layer = filled(plan->arena, layers);
	map->block = filled(plan->arena, layers);
	map->experts = filled(plan->arena, layers);
	map->root = filled(plan->arena, plan->stages.count);
	map->stage_of_embedding = map->stage_of_norm = map->stage_of_output = -1;
	map->embedding = map->norm = map->output = -1;
	for (i = 0; i < plan->stages.count; i++)
		for (j = 0; j < plan->stages.items[i].modules.count; j++)
			place(map, model, plan->stages.items[i].modules.items[j], (int)i);
}

static void end_of(const struct unit_map *map, const char *fqn, int *stage, int *unit)
{
	if (text_starts(fqn, "tok_embeddings.") || text_starts(fqn, "pos_embeddings.")) {
		*stage = map->stage_of_embedding;
		*unit = map->embedding;
	} else if (text_starts(fqn, "norm.")) {
		*stage = map->stage_of_norm;
		*unit = map->norm;
	} else {
		*stage = map->stage_of_output;
		*unit = map->output;
	}
}

void unit_map_find(const struct unit_map *map, const struct parameter *parameter, int *stage,
		   int *unit)
{
	const int layer = parameter->layer;

	if (layer >= 0) {
		*stage = map->stage_of_layer[layer];
		*unit = parameter->expert && map->experts[layer] >= 0 ? map->experts[layer]
								      : map->block[layer];
		return;
	}
	end_of(map, parameter->fqn, stage, unit);
	if (*stage >= 0 && *unit < 0)
		*unit = map->root[*stage];
}
