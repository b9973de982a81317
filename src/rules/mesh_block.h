#ifndef RULES_MESH_BLOCK_H
#define RULES_MESH_BLOCK_H

#include "input/node.h"
#include "rules/rule.h"

/*
 * A `mesh:` block as rules read it: its lists of axes, in the order in which DeviceMesh sees them,
 * and the edits that put them right.
 */
enum { BLOCK_AXES = 8 };

/* Names in the block, and where each stands in the order of the root's axes (-1: nowhere). */
struct block_list {
	int count, at[BLOCK_AXES];
	const struct node *items[BLOCK_AXES];
};

/* The member of the block, or NULL. */
const struct node *block_member(const struct job *job, const char *key);

/* Which member of a map has that name, from 0; -1: none. */
int block_index(const struct node *map, const char *name);

/* The names of a list, or the one name that a value is. */
struct block_list block_list(const struct node *value);

/* The same with their places; a flattened name stands where its last axis does. */
struct block_list block_placed(const struct job *job, const struct node *value);

/* Points the finding at a member of the block and relates the root's axes. */
void block_point(struct job *job, struct finding *finding, const struct node *at);

/* Adds the edits that make the tensor-parallel axis the last of the root. */
void block_tensor_last(struct job *job, struct finding *finding);

#endif
