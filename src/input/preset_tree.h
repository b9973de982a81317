#ifndef INPUT_PRESET_TREE_H
#define INPUT_PRESET_TREE_H

#include "base/arena.h"

/* Preset files as trees: src/presets/FOLDER/NAME.yaml. */
struct node;

/* Names of all presets of a folder ("models"), sorted, ended by NULL. */
const char *const *preset_names(struct arena *arena, const char *folder);

/* The tree of one, a map; NULL when there is none of that name. */
struct node *preset_tree(struct arena *arena, const char *folder, const char *name);

#endif
