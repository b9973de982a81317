#include "framework/torch/mesh_state.h"

#include "base/number.h"

#include "framework/torch/python.h"

#include <inttypes.h>
#include <string.h>

/*
 * DeviceMesh from 2.10 on: every mesh is a layout over the ranks of its root. Read in
 * torch/distributed/device_mesh.py and _mesh_layout.py of 2.11.0.dev20251221 and 2.14.0, and run on
 * 2.10.0 to 2.15.0.
 */

static const struct device_mesh *root_of(const struct device_mesh *mesh)
{
	return mesh->root ? mesh->root : mesh;
}

static struct device_mesh *derived(struct torch_world *world, const struct device_mesh *mesh)
{
	struct device_mesh *new = mesh_new(world, mesh->span);

	new->root = root_of(mesh);
	return new;
}

/* A new group: its first ranks are the complement of its layout in the root. */
static bool new_axis(struct torch_world *world, const struct device_mesh *mesh, const char *name,
		     struct layout layout, bool fake, struct mesh_axis *axis)
{
	memset(axis, 0, sizeof(*axis));
	axis->name = name;
	axis->layout = layout;
	axis->fake = fake;
	axis->uses_default = !fake && layout_size(&layout) == world->size;
	if (layout_complement(&layout, mesh->span, &axis->starts))
		return true;
	torch_limit(world, "an axis that does not tile its root is not modelled");
	return false;
}

/* All modes of all axes, merged where they are contiguous: _MeshLayout.collapse(). */
static bool collapse(struct torch_world *world, const struct device_mesh *mesh, struct layout *all)
{
	int i;

	memset(all, 0, sizeof(*all));
	for (i = 0; i < mesh->axes; i++)
		if (!mesh_join(world, all, &mesh->axis[i].layout))
			return false;
	*all = layout_coalesce(*all);
	return true;
}

static bool strides_fall(const struct layout *layout)
{
	int i;

	for (i = 1; i < layout->modes; i++)
		if (layout->stride[i] > layout->stride[i - 1])
			return false;
	return true;
}

/*
 * True when no two members coincide. By falling stride, each stride must be a multiple of what the
 * next mode covers (2.13, check_orthogonal); before, it must only not be smaller
 * (check_non_overlap).
 */
static bool orthogonal(const struct torch_world *world, struct layout layout)
{
	bool strict = torch_has(&world->torch, TORCH_ORTHOGONAL_SLICING);
	int i, j;

	for (i = 1; i < layout.modes; i++)
		for (j = i; j > 0 && layout.stride[j] > layout.stride[j - 1]; j--) {
			int64_t size = layout.size[j], stride = layout.stride[j];
			layout.size[j] = layout.size[j - 1];
			layout.stride[j] = layout.stride[j - 1];
			layout.size[j - 1] = size;
			layout.stride[j - 1] = stride;
		}
	for (i = 1; i < layout.modes; i++) {
		int64_t covers = layout.size[i] * layout.stride[i];
		if (!covers || layout.stride[i - 1] < covers ||
		    (strict && layout.stride[i - 1] % covers))
			return false;
	}
	return true;
}

static void *raise_order(struct torch_world *world, const char *asked, enum torch_feature until)
{
	return torch_raise(
		world, "KeyError", TORCH_LAYOUTS, until, 1,
		arena_printf(world->arena,
			     "Invalid mesh_dim_names %s specified. Mesh dim indices should be in "
			     "ascending order.",
			     asked));
}

/* Before 2.13: every axis is one mode, and strides do not fall from the last axis to the first. */
static bool axes_ascend(struct torch_world *world, const struct device_mesh *slice,
			const char *asked)
{
	int64_t before = -1;
	int i;

	for (i = slice->axes - 1; i >= 0; i--) {
		struct layout flat = layout_coalesce(slice->axis[i].layout);
		const struct layout *one = flat.modes ? &flat : &slice->axis[i].layout;
		if (flat.modes > 1) {
			torch_raise(world, "NotImplementedError", TORCH_NESTED_SLICING,
				    TORCH_ORTHOGONAL_SLICING, 1,
				    "Currently, this only allows slicing out a contiguous "
				    "flattened dim.");
			return false;
		}
		if (one->stride[0] < before) {
			raise_order(world, asked,
				    one->stride[0] ? TORCH_FEATURES : TORCH_UNIT_STRIDES);
			return false;
		}
		before = one->stride[0];
	}
	return true;
}

static bool slice_is_legal(struct torch_world *world, const struct device_mesh *slice,
			   const char *asked)
{
	struct layout all;

	if (!collapse(world, slice, &all))
		return false;
	if (!torch_has(&world->torch, TORCH_ORTHOGONAL_SLICING)) {
		if (!axes_ascend(world, slice, asked))
			return false;
	} else if (!strides_fall(&all)) {
		raise_order(world, asked, TORCH_FEATURES);
		return false;
	}
	if (orthogonal(world, all))
		return true;
	torch_raise(world, "RuntimeError", TORCH_LAYOUTS, TORCH_FEATURES, 1,
		    arena_printf(world->arena, "Slicing overlapping dim_names %s is not allowed.",
				 asked));
	return false;
}

/* The axis of that name: the mesh's own, or under `root` a flattened one, which draws a warning. */
static const struct mesh_axis *find_axis(struct torch_world *world, const struct device_mesh *mesh,
					 const struct device_mesh *root, const char *name)
{
	const struct torch_flattened *flat;
	int axis = device_mesh_axis(mesh, name);

	if (axis >= 0)
		return &mesh->axis[axis];
	flat = root ? mesh_flattened(world, root, name, true) : NULL;
	return flat ? &flat->mesh->axis[0] : NULL;
}

static void *raise_unknown(struct torch_world *world, const struct device_mesh *mesh,
			   const struct device_mesh *root, const char *asked)
{
	return torch_raise(
		world, "KeyError", TORCH_FLATTEN, TORCH_FEATURES, 1,
		arena_printf(world->arena,
			     "Invalid mesh_dim_names %s specified. Valid mesh_dim_names are %s.",
			     asked, mesh_valid_names(world, mesh, root, true)));
}

/* Ranks outside a mesh have no groups of it, and no part of a slice. */
static void raise_outside(struct torch_world *world, const struct device_mesh *mesh,
			  const struct device_mesh *slice)
{
	if (!torch_has(&world->torch, TORCH_OUTSIDERS_SLICE))
		torch_elsewhere(world, mesh, "IndexError", "list index out of range");
	else if (mesh_size(slice) < slice->span)
		torch_elsewhere(world, mesh, "RuntimeError",
				"In order to get the mesh Tensor of a DeviceMesh it needs to "
				"either have all its original dimensions (e.g., no slicing) or it "
				"needs to contain the local rank");
}

struct device_mesh *mesh_slice_by_layout(struct torch_world *world, struct device_mesh *mesh,
					 int count, const char *const *names, bool list)
{
	/* Flattened names can be sliced only out of the root. */
	const struct device_mesh *root = mesh_equal(mesh, root_of(mesh)) ? root_of(mesh) : NULL;
	struct device_mesh *slice = derived(world, mesh);
	const char *asked = mesh_asked(world, count, names, list);
	int i;

	for (i = 0; i < count; i++)
		if (!find_axis(world, mesh, root, names[i]))
			return raise_unknown(world, mesh, root, asked);
	if (count < 1)
		return torch_limit(world, "slices of 1 to 8 axes are modelled");
	for (i = 0; i < count; i++) {
		struct mesh_axis axis = *find_axis(world, mesh, root, names[i]);
		if (device_mesh_axis(mesh, names[i]) < 0)
			torch_warn(world, "Slicing a flattened dim from root mesh will be "
					  "deprecated in PT 2.11. "
					  "Users need to bookkeep the flattened mesh directly. ");
		if (!mesh_add(world, slice, &axis))
			return NULL;
	}
	if (!slice_is_legal(world, slice, asked))
		return NULL;
	raise_outside(world, mesh, slice);
	return slice;
}

static void *raise_taken(struct torch_world *world, const struct device_mesh *root,
			 const char *name)
{
	const char *names[TORCH_AXES];

	return torch_raise(
		world, "ValueError", TORCH_FLATTEN_NAMES_CHECKED, TORCH_FEATURES, 2,
		arena_printf(world->arena, "%s already exists for submesh of the %s. ", name,
			     device_mesh_repr(world, root)),
		arena_printf(world->arena,
			     "The mesh_dim_names of submesh and flattened mesh are %s. Please "
			     "specify another valid mesh_dim_name.",
			     python_tuple(world->arena, names, mesh_names(root, names))));
}

/* The layout of all axes as one; an axis of one rank keeps a stride, which slicing compares. */
static bool flat_layout(struct torch_world *world, const struct device_mesh *mesh,
			struct layout *layout)
{
	if (!collapse(world, mesh, layout))
		return false;
	if (!layout->modes) /* stride 0: pytorch#169381 */
		*layout = layout_axis(1, torch_has(&world->torch, TORCH_UNIT_STRIDES));
	return true;
}

static struct device_mesh *flatten_again(struct torch_world *world,
					 const struct torch_flattened *before,
					 const struct layout *layout, const char *name)
{
	struct layout old = layout_coalesce(before->mesh->axis[0].layout);
	struct layout new = layout_coalesce(*layout);
	int i;

	for (i = 0; i < old.modes && i < new.modes; i++)
		if (old.size[i] != new.size[i] || old.stride[i] != new.stride[i])
			break;
	if (i == old.modes && i == new.modes)
		return before->mesh;
	return torch_raise(
		world, "ValueError", TORCH_FLATTEN_NAMES_CHECKED, TORCH_FEATURES, 1,
		arena_printf(world->arena,
			     "Flatten mesh with mesh_dim_name %s has been created before, Please "
			     "specify another valid mesh_dim_name.",
			     name));
}

struct device_mesh *mesh_flatten_by_layout(struct torch_world *world, struct device_mesh *mesh,
					   const char *name)
{
	const struct device_mesh *root = root_of(mesh);
	struct device_mesh *flat;
	const struct torch_flattened *before;
	struct mesh_axis axis;
	struct layout layout;

	if (!name || !*name)
		name = mesh_joined_name(world, mesh);
	if (mesh->axes == 1 && !strcmp(name, mesh->axis[0].name))
		return mesh;
	if (device_mesh_axis(root, name) >= 0)
		return raise_taken(world, root, name);
	if (!flat_layout(world, mesh, &layout))
		return NULL;
	before = mesh_flattened(world, root, name, true);
	if (before)
		return flatten_again(world, before, &layout, name);
	if (!new_axis(world, root, name, layout, false, &axis))
		return NULL;
	flat = derived(world, mesh);
	flat->flattened = true;
	mesh_add(world, flat, &axis);
	vec_push(world->arena, &world->flattened,
		 ((struct torch_flattened) { .root = root, .mesh = flat }));
	return flat;
}

/*
 * Composition of an axis with (size:stride), which picks every stride-th of its members: CuTe's,
 * last mode first (torch/distributed/_pycute/layout.py). False after AssertionError.
 */
static bool compose(struct torch_world *world, const struct layout *axis, int64_t size,
		    int64_t stride, struct layout *out)
{
	struct layout flat = layout_coalesce(*axis), back = { 0 };
	int64_t outer = flat.modes ? flat.stride[0] : 0;
	int i;

	for (i = flat.modes - 1; i > 0; i--) {
		int64_t take = flat.size[i] / stride > 1 ? flat.size[i] / stride : 1;
		if ((flat.size[i] % stride && stride % flat.size[i]) ||
		    (take < size && size % take)) {
			torch_raise(world, "AssertionError", TORCH_LAYOUTS, TORCH_FEATURES, 1, "");
			return false;
		}
		take = take < size ? take : size;
		if (take != 1)
			back = layout_join(back, layout_axis(take, stride * flat.stride[i]));
		size /= take;
		stride = (stride + flat.size[i] - 1) / flat.size[i];
	}
	if (size != 1 || !back.modes)
		back = layout_join(back, layout_axis(size, stride * outer));
	memset(out, 0, sizeof(*out));
	for (i = back.modes - 1; i >= 0; i--)
		*out = layout_join(*out, layout_axis(back.size[i], back.stride[i]));
	return true;
}

static bool add_unflattened(struct torch_world *world, struct device_mesh *mesh,
			    const struct layout *axis, int count, const char *const *names,
			    const int64_t *sizes, unsigned int fake)
{
	struct layout inner = layout_row_major(sizes, count), part;
	struct mesh_axis new;
	int i;

	for (i = 0; i < count; i++)
		if (!compose(world, axis, inner.size[i], inner.stride[i], &part) ||
		    !new_axis(world, mesh, names[i], part, (fake & 1U << i) != 0, &new) ||
		    !mesh_add(world, mesh, &new))
			return false;
	return true;
}

static int64_t product(int count, const int64_t *sizes)
{
	int64_t all = 1;
	int i;

	for (i = 0; i < count; i++)
		all = multiply(all, sizes[i]);
	return all;
}

static bool all_positive(int count, const int64_t *sizes)
{
	int i;

	for (i = 0; i < count; i++)
		if (sizes[i] < 1)
			return false;
	return true;
}

struct device_mesh *device_mesh_unflatten(struct torch_world *world, struct device_mesh *mesh,
					  int axis, int count, const char *const *names,
					  const int64_t *sizes, unsigned int fake)
{
	struct device_mesh *new;
	int64_t all = product(count, sizes);
	int i;

	if (world->error.type)
		return NULL;
	if (!torch_has(&world->torch, TORCH_LAYOUTS))
		return torch_raise(world, "AttributeError", TORCH_FEATURES, TORCH_LAYOUTS, 1,
				   "'DeviceMesh' object has no attribute '_unflatten'");
	if (count < 1 || count > TORCH_AXES)
		return torch_limit(world, "unflattening into 1 to 8 axes is modelled");
	if (axis < 0 || axis >= mesh->axes)
		return torch_raise(
			world, "ValueError", TORCH_LAYOUTS, TORCH_FEATURES, 1,
			arena_printf(world->arena,
				     "dim %d specified in `_unflatten` is out of range %d", axis,
				     mesh->axes));
	if (all != device_mesh_size(mesh, axis))
		return torch_raise(
			world, "ValueError", TORCH_LAYOUTS, TORCH_FEATURES, 1,
			arena_printf(world->arena,
				     "The product of mesh_sizes=%s is %" PRId64
				     ", but the original dimension at dim=%d has size %" PRId64
				     ". These must be equal for unflatten to work correctly.",
				     python_ints(world->arena, sizes, count), all, axis,
				     device_mesh_size(mesh, axis)));
	if (!all_positive(count, sizes))
		return torch_limit(world, "unflattening into sizes below 1 is not modelled");
	new = derived(world, mesh);
	for (i = 0; i < mesh->axes; i++) {
		bool done = i == axis ? add_unflattened(world, new, &mesh->axis[i].layout, count,
							names, sizes, fake)
				      : mesh_add(world, new, &mesh->axis[i]);
		if (!done)
			return NULL;
	}
	return new;
}

static const char *list_of_meshes(struct torch_world *world, int count,
				  struct device_mesh *const *meshes)
{
	const char *text = "[";
	int i;

	for (i = 0; i < count; i++)
		text = arena_printf(world->arena, "%s%s%s", text, i ? ", " : "",
				    device_mesh_repr(world, meshes[i]));
	return arena_printf(world->arena, "%s]", text);
}

struct device_mesh *device_mesh_concatenate(struct torch_world *world, int count,
					    struct device_mesh *const *meshes)
{
	struct device_mesh *new;
	struct layout all;
	int i, k;

	if (world->error.type)
		return NULL;
	if (!torch_has(&world->torch, TORCH_LAYOUTS))
		return torch_raise(world, "AttributeError", TORCH_FEATURES, TORCH_LAYOUTS, 1,
				   "type object 'DeviceMesh' has no attribute '_concatenate'");
	new = derived(world, meshes[0]);
	for (i = 0; i < count; i++) {
		if (meshes[i]->span != meshes[0]->span)
			return torch_raise(
				world, "RuntimeError", TORCH_LAYOUTS, TORCH_FEATURES, 1,
				torch_has(&world->torch, TORCH_CONCATENATE_TEXT)
					? "Cannot concatenate DeviceMeshes derived from different "
					  "device meshes"
					: "Cannot concatenate DeviceMeshes derived from different "
					  "device meshs");
		for (k = 0; k < meshes[i]->axes; k++)
			if (!mesh_add(world, new, &meshes[i]->axis[k]))
				return NULL;
	}
	if (!collapse(world, new, &all))
		return NULL;
	if (orthogonal(world, all))
		return new;
	return torch_raise(world, "RuntimeError", TORCH_LAYOUTS, TORCH_FEATURES, 1,
			   arena_printf(world->arena, "Cannot concatenate overlapping meshes: %s",
					list_of_meshes(world, count, meshes)));
}
