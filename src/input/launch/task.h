#ifndef INPUT_LAUNCH_TASK_H
#define INPUT_LAUNCH_TASK_H

#include "input/document.h"

/*
 * Tasks of SkyPilot: YAML whose `run:` is a script, started on each of num_nodes nodes with the
 * devices that `resources` ask for.
 */

/* True when the tree is such a task. */
bool task_is(const struct node *root);

/* Its script, with the variables that SkyPilot sets and the task's own envs. */
struct shell_script *task_script(const struct document *document, const struct node *root);

#endif
