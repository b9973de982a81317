#include "framework/stage_names.h"

#include "base/text.h"

#include <string.h>

struct stage *stages_add(struct arena *arena, struct stage_list *stages)
{
	struct stage stage = { .index = (int)stages->count };

	vec_push(arena, stages, stage);
	return &stages->items[stages->count - 1];
}

void stage_hold_layers(struct arena *arena, struct stage *stage, int64_t from, int64_t to)
{
	for (; from < to; from++)
		vec_push(arena, &stage->modules, model_layer_name(arena, from));
}

void stages_of_names(struct arena *arena, struct stage_list *stages, const struct node *parts)
{
	const struct node *part, *module;

	for (part = parts->first; part; part = part->next) {
		struct stage *stage = stages_add(arena, stages);
		for (module = part->first; module; module = module->next)
			if (module->kind == NODE_SCALAR)
				vec_push(arena, &stage->modules, module->text);
	}
}

/* The number after "layers.", or -1. */
static int64_t layer_number(const char *name)
{
	int64_t layer;

	return text_starts(name, "layers.") && text_to_int(name + strlen("layers."), &layer) ? layer
											     : -1;
}

void stages_at_points(struct arena *arena, struct stage_list *stages, const struct node *points,
		      int64_t layers, const char *output)
{
	const struct node *point = points ? points->first : NULL;
	int64_t start = 0;
	bool last;

	do {
		struct stage *stage = stages_add(arena, stages);
		int64_t stop = point && point->text ? layer_number(point->text) : layers;
		last = !point;
		if (stage->index == 0)
			vec_push(arena, &stage->modules, "tok_embeddings");
		if (start >= 0)
			stage_hold_layers(arena, stage, start,
					  stop >= start && stop < layers ? stop : layers);
		if (last) {
			vec_push(arena, &stage->modules, "norm");
			vec_push(arena, &stage->modules, output);
		}
		start = stop;
		point = last ? NULL : point->next;
	} while (!last);
}

void stages_to_ranks(struct stage_list *stages, int64_t pp, bool v)
{
	const int64_t count = (int64_t)stages->count;
	int64_t i;

	for (i = 0; i < count; i++)
		stages->items[i].pp_rank = v && i >= pp ? count - 1 - i : i % pp;
}
