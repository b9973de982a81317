#ifndef FRAMEWORK_UNIT_MAP_H
#define FRAMEWORK_UNIT_MAP_H

#include "plan/model.h"
#include "plan/plan.h"

/*
 * Which stage holds a module of the model, and which call of fully_shard gathers it. Needs
 * plan->stages.
 */
struct unit_map {
	struct arena *arena;
	int *stage_of_layer, *block, *experts; /* by layer; -1: none */
	int stage_of_embedding, stage_of_norm, stage_of_output;
	int embedding, norm, output; /* units of the ends */
	int *root;		     /* by stage */
};

/* Which stage holds which module. */
void unit_map_init(struct unit_map *map, struct plan *plan, const struct model *model);

/* Stage and unit of a parameter; stage -1 when no stage holds its module. */
void unit_map_find(const struct unit_map *map, const struct parameter *parameter, int *stage,
		   int *unit);

#endif
