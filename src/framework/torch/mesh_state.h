#ifndef FRAMEWORK_TORCH_MESH_STATE_H
#define FRAMEWORK_TORCH_MESH_STATE_H

#include "framework/torch/device_mesh.h"

/*
 * What the two generations of DeviceMesh share: mesh_by_index.c is the code up to 2.9, which
 * reasons in dims of the root mesh, mesh_by_layout.c that from 2.10 on, which reasons in layouts.
 */

struct mesh_axis {
	const char *name;
	struct layout layout; /* members of a group, from its first rank */
	struct layout starts; /* first rank of group g, in the order of creation */
	bool fake, uses_default;
};

struct device_mesh {
	int axes;
	struct mesh_axis axis[TORCH_AXES];
	int64_t span; /* the root covers ranks 0 ... span - 1 */
	const struct device_mesh
		*root;	/* from 2.10 on: the mesh it derives from, NULL for a root */
	bool flattened; /* made by _flatten */
};

/* child_to_root_mapping (up to 2.9): keyed by equality of meshes, the last entry wins. */
struct torch_submesh {
	const struct device_mesh *mesh, *parent;
};

/* A flattened mesh and the dims of its root it was made of (up to 2.9). */
struct torch_flattened {
	const struct device_mesh *root;
	struct device_mesh *mesh;
	int dims;
	int dim[TORCH_AXES];
};

/* Sets the world's error unless there is one; `count` arguments (const char *). Returns NULL. */
void *torch_raise(struct torch_world *world, const char *type, enum torch_feature since,
		  enum torch_feature until, int count, ...);

/* The same for meshes that cannot be modelled. */
void *torch_limit(struct torch_world *world, const char *what);

/* warnings.warn: each text is shown once. */
void torch_warn(struct torch_world *world, const char *text);

/* What the ranks outside a mesh smaller than the world raise, as a warning of ours; ranks that have
 * raised before say no more. */
void torch_elsewhere(struct torch_world *world, const struct device_mesh *mesh, const char *type,
		     const char *message);

/* str(UnboundLocalError) of Python 3.11 and later. */
#define PYTHON_UNBOUND(name)                                                                       \
	"cannot access local variable '" name "' where it is not associated with a value"

struct device_mesh *mesh_new(struct torch_world *world, int64_t span);

/* Appends an axis; false after torch_limit. */
bool mesh_add(struct torch_world *world, struct device_mesh *mesh, const struct mesh_axis *axis);

/* The ranks of one submesh. */
int64_t mesh_size(const struct device_mesh *mesh);

/* Appends the modes of `inner` to `outer`; false after torch_limit. */
bool mesh_join(struct torch_world *world, struct layout *outer, const struct layout *inner);

/* DeviceMesh.__eq__: names, shape and ranks. */
bool mesh_equal(const struct device_mesh *a, const struct device_mesh *b);

/* The names of all axes, TORCH_AXES of room; returns how many. */
int mesh_names(const struct device_mesh *mesh, const char **names);

/* "a_b" of the axes' names: the default name of a flattened mesh. */
const char *mesh_joined_name(struct torch_world *world, const struct device_mesh *mesh);

/* The flattened mesh of that name under that root, or NULL; `same`: compare roots by identity. */
struct torch_flattened *mesh_flattened(struct torch_world *world, const struct device_mesh *root,
				       const char *name, bool same);

/* get_root_mesh up to 2.9: the mesh it was sliced from or flattened in, else itself. */
const struct device_mesh *mesh_parent(const struct torch_world *world,
				      const struct device_mesh *mesh);

/* The names of a mesh and of the meshes flattened under `root` (if any), as Python's list. */
const char *mesh_valid_names(struct torch_world *world, const struct device_mesh *mesh,
			     const struct device_mesh *root, bool same);

/* `names` as an exception text quotes them: a tuple, or a list when they came as one. */
const char *mesh_asked(struct torch_world *world, int count, const char *const *names, bool list);

struct device_mesh *mesh_slice_by_index(struct torch_world *world, struct device_mesh *mesh,
					int count, const char *const *names, bool list);
struct device_mesh *mesh_flatten_by_index(struct torch_world *world, struct device_mesh *mesh,
					  const char *name);
struct device_mesh *mesh_slice_by_layout(struct torch_world *world, struct device_mesh *mesh,
					 int count, const char *const *names, bool list);
struct device_mesh *mesh_flatten_by_layout(struct torch_world *world, struct device_mesh *mesh,
					   const char *name);

#endif
