#ifndef FRAMEWORK_TORCH_DEVICE_MESH_H
#define FRAMEWORK_TORCH_DEVICE_MESH_H

#include "base/arena.h"
#include "base/vec.h"
#include "framework/torch/release.h"
#include "plan/layout.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * torch.distributed.device_mesh.DeviceMesh as each PyTorch version behaves: the same
 * operations, the same order of checks, the same error texts. Framework models call
 * these as the real code calls the real ones, and pass on what they raise.
 */
struct device_mesh;

/* Axes of a mesh that can be modelled; more give an error with `limit` set. */
enum { TORCH_AXES = 8 };

/*
 * What an operation raised. The message is str(exception): exceptions of several arguments print as
 * their tuple, a KeyError of one argument as its repr, exactly as the last line of a traceback
 * does.
 */
struct torch_error {
	const char *type; /* NULL: nothing was raised */
	const char *message;
	enum torch_feature since,
		until; /* the behaviour lasts from one to the other; TORCH_FEATURES: open */
	bool limit;    /* not PyTorch's: the mesh is beyond what is modelled here */
};

struct torch_submesh;
struct torch_flattened;

/* The state torch keeps per process: version, world, warnings so far, who was made from whom. */
struct torch_world {
	struct arena *arena;
	struct torch_release torch;
	int64_t size;
	VEC(const char *)
	warnings; /* each text once; "(silent) ..." are ours, where torch says nothing, and
		     "(elsewhere) ..." what it raises only on ranks outside a mesh */
	int64_t raised_elsewhere; /* the first of those ranks, 0: none has raised */
	struct torch_error error; /* the first exception; every later operation returns NULL */
	VEC(struct torch_submesh) submeshes;
	VEC(struct torch_flattened) flattened;
};

/* An axis of a mesh: one process group per rank. `mesh` is NULL after an exception. */
struct torch_group {
	const struct device_mesh *mesh;
	int axis;
};

void torch_world_init(struct torch_world *world, struct arena *arena, struct torch_release torch,
		      int64_t size);

/* init_device_mesh(device, sizes, mesh_dim_names=names). All return NULL after an exception. */
struct device_mesh *device_mesh_init(struct torch_world *world, int axes, const char *const *names,
				     const int64_t *sizes);

/* mesh[names]: with one name mesh["name"], with more a tuple of them. */
struct device_mesh *device_mesh_slice(struct torch_world *world, struct device_mesh *mesh,
				      int count, const char *const *names);

/* mesh[[names]]: a list of names, which never equals the tuple of the mesh's own. */
struct device_mesh *device_mesh_slice_list(struct torch_world *world, struct device_mesh *mesh,
					   int count, const char *const *names);

/* mesh._flatten(name); name NULL: joined axis names. */
struct device_mesh *device_mesh_flatten(struct torch_world *world, struct device_mesh *mesh,
					const char *name);

/*
 * mesh._unflatten(axis, sizes, names); axes listed in `fake` (bit i: new axis i) get no real group.
 * `axis` is an index: 2.10 and 2.11 reject every name that exists.
 */
struct device_mesh *device_mesh_unflatten(struct torch_world *world, struct device_mesh *mesh,
					  int axis, int count, const char *const *names,
					  const int64_t *sizes, unsigned int fake);

/* DeviceMesh._concatenate([...]). */
struct device_mesh *device_mesh_concatenate(struct torch_world *world, int count,
					    struct device_mesh *const *meshes);

/*
 * mesh.get_group(name). The axis may belong to another mesh, the flattened one of that name.
 * name NULL: the only axis; in 2.2 and 2.3 axis -1, all of them.
 */
struct torch_group device_mesh_get_group(struct torch_world *world, const struct device_mesh *mesh,
					 const char *name);

/* Shape of a mesh; device_mesh_axis is the index of a name, or -1. */
int device_mesh_axis(const struct device_mesh *mesh, const char *name);
int device_mesh_axes(const struct device_mesh *mesh);
const char *device_mesh_name(const struct device_mesh *mesh, int axis);
int64_t device_mesh_size(const struct device_mesh *mesh, int axis);
const struct layout *device_mesh_layout(const struct device_mesh *mesh, int axis);
bool device_mesh_is_fake(const struct device_mesh *mesh, int axis);

/* True when the axis uses the default process group instead of one of its own. */
bool device_mesh_uses_default_group(const struct device_mesh *mesh, int axis);

/*
 * Rank `member` of group `group` of an axis, groups in the order in which this version creates
 * them; and how many groups there are. Ranks outside a mesh smaller than the world are in none.
 */
int64_t device_mesh_group_count(const struct device_mesh *mesh, int axis);
int64_t device_mesh_group_rank(const struct device_mesh *mesh, int axis, int64_t group,
			       int64_t member);

/* repr(mesh), as exception texts quote it; device type cuda. */
const char *device_mesh_repr(const struct torch_world *world, const struct device_mesh *mesh);

#endif
