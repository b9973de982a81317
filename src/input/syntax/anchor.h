#ifndef INPUT_SYNTAX_ANCHOR_H
#define INPUT_SYNTAX_ANCHOR_H

#include "base/finding.h"
#include "base/map.h"
#include "base/vec.h"
#include "input/node.h"

/* How many nodes aliases and merges may copy; a config has some hundreds, an alias bomb billions.
 */
enum { ANCHOR_BUDGET = 100000 };

struct anchor {
	struct node *node; /* NULL while what it names is still being read */
	struct span span;
};

/* The anchors of one YAML text. Zero-initialised but for `arena` and `findings` is empty. */
struct anchors {
	struct arena *arena;
	struct findings *findings;
	struct map index;
	VEC(struct anchor) list;
	int copies; /* nodes copied so far */
};

/* Notes that a node named `name` begins; the handle for anchors_close, -1 when name is NULL. */
int64_t anchors_open(struct anchors *anchors, const char *name, struct span span);

/* The node behind a handle is complete; from now on aliases may name it. */
void anchors_close(struct anchors *anchors, int64_t handle, struct node *node);

/* What the alias *name stands for, or NULL after a finding: unknown, or inside itself. */
const struct node *anchors_find(const struct anchors *anchors, const char *name, struct span alias);

/* A deep copy without key and parent; NULL after a finding when the budget is spent. */
struct node *anchors_copy(struct anchors *anchors, const struct node *from, struct span alias);

#endif
