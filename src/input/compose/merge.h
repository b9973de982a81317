#ifndef INPUT_COMPOSE_MERGE_H
#define INPUT_COMPOSE_MERGE_H

#include "input/syntax/anchor.h"

#include <stdbool.h>

/*
 * YAML's merge key as PyYAML applies it (SafeConstructor.flatten_mapping): a map's own members
 * win over merged ones, the first map of a list over the later ones, a later `<<` over an earlier
 * one; merged members come first in the order of the map.
 */
struct merges {
	VEC(const struct node *) maps; /* those of the lowest rank first */
};

/* Notes what `<<: value` merges; false after a finding when that is no map or list of maps. */
bool merges_add(struct merges *merges, struct anchors *anchors, const struct node *value);

/* Fills `map` with copies of the merged members and with its own; false after a finding. */
bool merges_apply(const struct merges *merges, struct anchors *anchors, const struct members *own,
		  struct node *map);

#endif
