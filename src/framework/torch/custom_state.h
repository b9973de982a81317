#ifndef FRAMEWORK_TORCH_CUSTOM_STATE_H
#define FRAMEWORK_TORCH_CUSTOM_STATE_H

#include "framework/torch/custom.h"
#include "framework/torch/device_mesh.h"
#include "framework/torch/mesh_expr.h"
#include "input/field.h"

/*
 * What the files that execute a `mesh:` block share: custom.c runs it, custom_script.c runs its
 * `script`, custom_means.c makes the intended plan of what the axes are said to mean.
 */
struct script {
	struct job *job;
	struct plan *plan;
	const struct node *block;
	struct torch_world world;
	struct device_mesh *root, *data, *tensor; /* data: what fully_shard or DDP gets */
	const struct mesh_variable *variables;	  /* of `script` */
	int variable_count;
};

/* One name or a list of them. */
struct names {
	const char *items[TORCH_AXES];
	const struct node *nodes[TORCH_AXES];
	int count;
};

/* Reads `key` of a map; false when it is absent, or wrong and reported. */
bool custom_names(struct script *s, const struct node *map, const char *key, struct names *names);

/* Reports a value of the wrong type at its key below `mesh.`. */
void custom_wrong(struct script *s, enum field_type type, const char *key, const struct node *node);

/* Ends the plan with what PyTorch raised, if it did, and says so. */
bool custom_raised(struct script *s, const char *where);

/* Adds a communicator to the plan. */
struct mesh *custom_put_mesh(struct script *s, const char *name, const struct layout *layout);

/* Adds the axes of the root mesh as communicators and as the plan's root. */
void custom_put_axes(struct script *s);

/*
 * Without a world of its own the block runs on as many ranks as its root mesh has. A mesh smaller
 * than the world, at `span`, is legal, but there is nothing the ranks outside can do.
 */
void custom_settle_world(struct script *s, struct span span, int64_t ranks);

/* Runs mesh.script; false when nothing can follow. */
bool custom_run_script(struct script *s);

/* The mesh that the script gave that name, or NULL. */
struct device_mesh *custom_variable(const struct script *s, const char *name);

/* Makes the intended plan of what `means` says; without it, of what is applied. */
void custom_intend(struct script *s);

#endif
