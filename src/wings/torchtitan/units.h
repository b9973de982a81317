#ifndef WINGS_TORCHTITAN_UNITS_H
#define WINGS_TORCHTITAN_UNITS_H

#include "wings/torchtitan/titan.h"

/*
 * The calls of fully_shard, in their order: which modules are gathered and reduced
 * together. Needs plan->stages.
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

/* Adds the units of every stage to the plan and remembers them. */
void unit_map_build(struct unit_map *map, struct job *job, struct plan *plan,
		    const struct titan *titan);

/* Stage and unit of a parameter; stage -1 when no stage holds its module. */
void unit_map_find(const struct unit_map *map, const struct parameter *parameter, int *stage,
		   int *unit);

#endif
