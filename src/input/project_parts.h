#ifndef INPUT_PROJECT_PARTS_H
#define INPUT_PROJECT_PARTS_H

#include "input/project.h"

/* In front of the keys of cluster: where native keys are told. */
#define PROJECT_CLUSTER "cluster."

/* The native field that a key below cluster: names, or FIELD_COUNT. */
enum field_id project_field(struct arena *arena, const struct node *node);

#endif
