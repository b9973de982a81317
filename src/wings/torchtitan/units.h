#ifndef WINGS_TORCHTITAN_UNITS_H
#define WINGS_TORCHTITAN_UNITS_H

#include "framework/unit_map.h"
#include "wings/torchtitan/titan.h"

/*
 * Adds the calls of fully_shard to the plan, in their order, and remembers them: which modules are
 * gathered and reduced together, stage by stage.
 */
void titan_units_build(struct unit_map *map, struct job *job, struct plan *plan,
		       const struct titan *titan);

#endif
