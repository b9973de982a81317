#include "framework/torch/mesh_state.h"

#include "framework/torch/python.h"

#include "base/number.h"

#include <inttypes.h>
#include <string.h>

/*
 * DeviceMesh from 2.5 to 2.9: slices and flattened meshes are found by the indices of dims in the
 * mesh that is sliced. Read in torch/distributed/device_mesh.py of the 2.6.0, 2.7.1 and 2.8.0
 * wheels and at pytorch@00131b6bd (2.9), and run on 2.5.1 to 2.9.1.
 */

/* One requested name: the dims it stands for, and the flattened mesh it names, if any. */
struct wanted {
	int dims;
	int dim[TORCH_AXES];
	const struct torch_flattened *flattened;
};

static bool may_slice(struct torch_world *world, struct device_mesh *mesh)
{
	if (mesh_equal(mesh_parent(world, mesh), mesh))
		return true;
	if (torch_has(&world->torch, TORCH_NESTED_SLICING)) {
		torch_warn(world, "You are attempting to slice a submesh from another submesh. "
				  "While we support this "
				  "operation, it is users' responsibility to ensure that the "
				  "submesh is consistently "
				  "sliced across all ranks. If not, this may result in some ranks "
				  "receiving the "
				  "submesh while others encounter errors.");
		return true;
	}
	torch_raise(world, "RuntimeError", TORCH_FLATTEN, TORCH_NESTED_SLICING, 1,
		    "Cannot create a submesh from a submesh.");
	return false;
}

static bool names_known(struct torch_world *world, const struct device_mesh *mesh, int count,
			const char *const *names, bool list)
{
	int i;

	for (i = 0; i < count; i++)
		if (device_mesh_axis(mesh, names[i]) < 0 &&
		    !mesh_flattened(world, mesh, names[i], false))
			break;
	if (i == count)
		return true;
	torch_raise(
		world, "KeyError", TORCH_FLATTEN, TORCH_FEATURES, 1,
		arena_printf(world->arena,
			     "Invalid mesh_dim_names %s specified. Valid mesh_dim_names are %s.",
			     mesh_asked(world, count, names, list),
			     mesh_valid_names(world, mesh, mesh, false)));
	return false;
}

/* A flattened name wins over a dim of the same name. */
static struct wanted want(struct torch_world *world, const struct device_mesh *mesh,
			  const char *name)
{
	struct wanted wanted = { .dims = 1, .flattened = mesh_flattened(world, mesh, name, false) };

	if (wanted.flattened) {
		wanted.dims = wanted.flattened->dims;
		memcpy(wanted.dim, wanted.flattened->dim, sizeof(wanted.dim));
	} else {
		wanted.dim[0] = device_mesh_axis(mesh, name);
	}
	return wanted;
}

/* "[(0, 1), (2,)]" of the dims found so far. */
static const char *dims_text(struct torch_world *world, const struct wanted *wanted, int count)
{
	char *text = arena_strdup(world->arena, "[");
	int64_t dims[TORCH_AXES];
	int i, k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < wanted[i].dims; k++)
			dims[k] = wanted[i].dim[k];
		text = arena_printf(world->arena, "%s%s%s", text, i ? ", " : "",
				    python_ints(world->arena, dims, wanted[i].dims));
	}
	return arena_printf(world->arena, "%s]", text);
}

static void raise_order(struct torch_world *world, const char *asked, const char *dims)
{
	const char *a = arena_printf(world->arena, "Invalid mesh_dim_names %s specified. ", asked);
	const char *b = arena_printf(world->arena, "Found mesh dim indices to slice: %s. ", dims);
	const char *c = "Mesh dim indices should be in ascending order.";

	if (torch_has(&world->torch, TORCH_SHORT_MESH_TEXTS))
		torch_raise(world, "KeyError", TORCH_FLATTEN, TORCH_FEATURES, 1,
			    arena_printf(world->arena, "%s%s%s", a, b, c));
	else
		torch_raise(world, "KeyError", TORCH_FLATTEN, TORCH_FEATURES, 3, a, b, c);
}

/* Dims of all names; the last dim of each name must be beyond the last dim of the one before. */
static bool find_dims(struct torch_world *world, const struct device_mesh *mesh, int count,
		      const char *const *names, bool list, struct wanted *wanted)
{
	int last = -1, i;

	for (i = 0; i < count; i++) {
		wanted[i] = want(world, mesh, names[i]);
		if (wanted[i].dim[wanted[i].dims - 1] <= last) {
			raise_order(world, mesh_asked(world, count, names, list),
				    dims_text(world, wanted, i + 1));
			return false;
		}
		last = wanted[i].dim[wanted[i].dims - 1];
	}
	return true;
}

/* A dim index as tensor methods read it: from the end when negative; -1 after IndexError. */
static int wrap_dim(struct torch_world *world, int dim, int dims)
{
	if (dim < -dims || dim >= dims) {
		torch_raise(world, "IndexError", TORCH_FLATTEN, TORCH_LAYOUTS, 1,
			    arena_printf(world->arena,
					 "Dimension out of range (expected to be in range of [%d, "
					 "%d], but got %d)",
					 -dims, dims - 1, dim));
		return -1;
	}
	return dim < 0 ? dim + dims : dim;
}

/* mesh_tensor.flatten(start, end) on a tensor of `dims` dims: how many are left, 0 after an error.
 */
static int flatten_tensor(struct torch_world *world, int dims, int start, int end)
{
	int from = wrap_dim(world, start, dims), to = from < 0 ? -1 : wrap_dim(world, end, dims);

	if (from < 0 || to < 0)
		return 0;
	if (from > to) {
		torch_raise(world, "RuntimeError", TORCH_FLATTEN, TORCH_LAYOUTS, 1,
			    "flatten() has invalid args: start_dim cannot come after end_dim");
		return 0;
	}
	return dims - (to - from);
}

/* Where each name's dim is in the tensor once flattened names are flattened in it. */
static int place_dims(struct torch_world *world, const struct device_mesh *mesh,
		      const struct wanted *wanted, int count, int *place)
{
	int dims = mesh->axes, flattened = 0, i;

	for (i = 0; i < count && dims; i++) {
		place[i] = wanted[i].dim[0] - flattened;
		if (wanted[i].dims > 1) {
			dims = flatten_tensor(world, dims, place[i],
					      wanted[i].dim[wanted[i].dims - 1] - flattened);
			flattened += wanted[i].dims - 1;
		}
	}
	return dims;
}

/* Every place must be a dim of the tensor, and each only once. */
static bool take_dims(struct torch_world *world, int dims, const int *place, int count)
{
	unsigned int taken = 0;
	int i;

	for (i = 0; i < count; i++) {
		if (place[i] >= 0 && place[i] < dims && !(taken & 1U << place[i])) {
			taken |= 1U << place[i];
			continue;
		}
		if (torch_has(&world->torch, TORCH_NESTED_SLICING))
			torch_raise(world, "NotImplementedError", TORCH_NESTED_SLICING,
				    TORCH_ORTHOGONAL_SLICING, 1,
				    "Currently, this only allows slicing out a contiguous "
				    "flattened dim.");
		else
			torch_raise(world, "ValueError", TORCH_FLATTEN, TORCH_NESTED_SLICING, 1,
				    "list.remove(x): x not in list");
		return false;
	}
	return true;
}

/*
 * 2.5 computes the size of a flattened axis with mesh.size(x) where x is already a product
 * (pytorch#138945): with three dims and more that is no dim, as a rule. 0 after IndexError.
 */
static int64_t size_of_wanted(struct torch_world *world, const struct device_mesh *mesh,
			      const struct wanted *wanted)
{
	int64_t size = device_mesh_size(mesh, wanted->dim[0]);
	int i;

	for (i = 1; i < wanted->dims; i++) {
		if (i > 1 && size >= mesh->axes) {
			torch_raise(world, "IndexError", TORCH_FLATTEN, TORCH_FLATTENED_SIZES, 1,
				    arena_printf(world->arena,
						 "Dimension out of range (expected to be in range "
						 "of [%d, %d], but got %" PRId64 ")",
						 -mesh->axes, mesh->axes - 1, size));
			return 0;
		}
		if (i > 1)
			size = device_mesh_size(mesh, (int)size);
		size *= device_mesh_size(mesh, wanted->dim[i]);
	}
	return size;
}

/* Sizes of all names as 2.5 comes to them; right ones from 2.6 on. */
static bool find_sizes(struct torch_world *world, const struct device_mesh *mesh,
		       const struct wanted *wanted, int count, int64_t *sizes)
{
	bool right = torch_has(&world->torch, TORCH_FLATTENED_SIZES);
	int i, k;

	for (i = 0; i < count; i++) {
		sizes[i] = 1;
		for (k = 0; right && k < wanted[i].dims; k++)
			sizes[i] *= device_mesh_size(mesh, wanted[i].dim[k]);
		if (!right)
			sizes[i] = size_of_wanted(world, mesh, &wanted[i]);
		if (!sizes[i])
			return false;
	}
	return true;
}

/* .reshape(-1, *sizes) of the mesh tensor: sizes that are mistaken do not fit, as a rule. */
static bool sizes_fit(struct torch_world *world, const struct device_mesh *mesh,
		      const struct wanted *wanted, int count, const int64_t *sizes)
{
	int64_t all = 1, real = 1;
	const char *shape = "[-1";
	int i, k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < wanted[i].dims; k++)
			real *= device_mesh_size(mesh, wanted[i].dim[k]);
		all = multiply(all, sizes[i]);
		shape = arena_printf(world->arena, "%s, %" PRId64, shape, sizes[i]);
	}
	if (all == real)
		return true;
	if (mesh_size(mesh) % all)
		torch_raise(world, "RuntimeError", TORCH_FLATTEN, TORCH_FLATTENED_SIZES, 1,
			    arena_printf(world->arena,
					 "shape '%s]' is invalid for input of size %" PRId64, shape,
					 mesh_size(mesh)));
	else
		torch_limit(world,
			    "a flattened axis of which 2.5 mistakes the size is not modelled");
	return false;
}

/* A gap between the dims of a flattened axis: the mesh tensor silently holds other ranks than the
 * group. */
static void warn_gap(struct torch_world *world, const char *name, const struct wanted *wanted)
{
	int i;

	for (i = 1; i < wanted->dims; i++)
		if (wanted->dim[i] != wanted->dim[i - 1] + 1)
			break;
	if (wanted->dims > 1 && i < wanted->dims)
		torch_warn(
			world,
			arena_printf(world->arena,
				     "(silent) the dims flattened into '%s' are not adjacent: the "
				     "sliced mesh lists other ranks than its process group has",
				     name));
}

/*
 * A slice of several axes makes no groups and belongs to no one rank: its groups are listed by
 * first rank. One axis is listed as its root created it.
 */
static void list_by_rank(struct device_mesh *slice)
{
	struct layout starts;
	int i;

	for (i = 0; slice->axes > 1 && i < slice->axes; i++)
		if (layout_complement(&slice->axis[i].layout, slice->span, &starts))
			slice->axis[i].starts = starts;
}

static struct device_mesh *build(struct torch_world *world, struct device_mesh *mesh, int count,
				 const char *const *names, const struct wanted *wanted)
{
	struct device_mesh *slice = mesh_new(world, mesh->span);
	int i;

	for (i = 0; i < count; i++) {
		warn_gap(world, names[i], &wanted[i]);
		if (!mesh_add(world, slice,
			      wanted[i].flattened ? &wanted[i].flattened->mesh->axis[0]
						  : &mesh->axis[wanted[i].dim[0]]))
			return NULL;
	}
	list_by_rank(slice);
	vec_push(world->arena, &world->submeshes, ((struct torch_submesh) { slice, mesh }));
	return slice;
}

struct device_mesh *mesh_slice_by_index(struct torch_world *world, struct device_mesh *mesh,
					int count, const char *const *names, bool list)
{
	struct wanted wanted[TORCH_AXES];
	int place[TORCH_AXES], dims;
	int64_t sizes[TORCH_AXES];

	if (!may_slice(world, mesh) || !names_known(world, mesh, count, names, list))
		return NULL;
	if (count < 1 || count > TORCH_AXES)
		return torch_limit(world, "slices of 1 to 8 axes are modelled");
	if (!find_dims(world, mesh, count, names, list, wanted))
		return NULL;
	if (!find_sizes(world, mesh, wanted, count, sizes))
		return NULL;
	dims = place_dims(world, mesh, wanted, count, place);
	if (!dims || !take_dims(world, dims, place, count) ||
	    !sizes_fit(world, mesh, wanted, count, sizes))
		return NULL;
	torch_elsewhere(world, mesh, "IndexError", "list index out of range");
	return build(world, mesh, count, names, wanted);
}

/*
 * The taken names are splatted into letters (itertools.chain over strings): only a name of one
 * letter that occurs in another name is refused. In 2.9 those of the root's axes are whole.
 */
static bool letter_taken(struct torch_world *world, const struct device_mesh *root,
			 const char *name)
{
	bool whole = torch_has(&world->torch, TORCH_FLATTEN_REFUSES_AXES);
	size_t i;
	int axis;

	if (whole && device_mesh_axis(root, name) >= 0)
		return true;
	if (strlen(name) != 1)
		return false;
	for (axis = 0; axis < root->axes && !whole; axis++)
		if (strchr(root->axis[axis].name, name[0]))
			return true;
	for (i = 0; i < world->flattened.count; i++)
		if (mesh_equal(world->flattened.items[i].root, root) &&
		    strchr(world->flattened.items[i].mesh->axis[0].name, name[0]))
			return true;
	return false;
}

static bool name_free(struct torch_world *world, const struct device_mesh *root, const char *name)
{
	const char *names[TORCH_AXES];
	bool checked = torch_has(&world->torch, TORCH_FLATTEN_NAMES_CHECKED);
	bool axes = torch_has(&world->torch, TORCH_FLATTEN_REFUSES_AXES);
	const char *all = "<itertools.chain object>";

	if (checked ? device_mesh_axis(root, name) < 0 : !letter_taken(world, root, name))
		return true;
	if (checked)
		all = python_tuple(world->arena, names, mesh_names(root, names));
	torch_raise(
		world, checked ? "ValueError" : "RuntimeError",
		checked ? TORCH_FLATTEN_NAMES_CHECKED
		: axes	? TORCH_FLATTEN_REFUSES_AXES
			: TORCH_FLATTEN,
		checked ? TORCH_FEATURES
		: axes	? TORCH_FLATTEN_NAMES_CHECKED
			: TORCH_FLATTEN_REFUSES_AXES,
		2,
		arena_printf(world->arena, "%s already exists for submesh of the %s. ", name,
			     device_mesh_repr(world, root)),
		arena_printf(
			world->arena,
			"The mesh_dim_names of submesh and flattened mesh are %s. Please specify "
			"another valid mesh_dim_name.",
			all));
	return false;
}

static bool same_dims(const struct torch_flattened *a, const struct torch_flattened *b)
{
	int i;

	for (i = 0; i < a->dims && i < b->dims; i++)
		if (a->dim[i] != b->dim[i])
			return false;
	return a->dims == b->dims;
}

/* The mesh flattened before under that name; up to 2.9 even one of other dims. */
static struct device_mesh *cached(struct torch_world *world, const struct torch_flattened *wanted,
				  const struct torch_flattened *before, const char *name)
{
	if (same_dims(before, wanted))
		return before->mesh;
	if (torch_has(&world->torch, TORCH_FLATTEN_NAMES_CHECKED))
		return torch_raise(
			world, "ValueError", TORCH_FLATTEN_NAMES_CHECKED, TORCH_FEATURES, 1,
			arena_printf(world->arena,
				     "Flatten mesh with mesh_dim_name %s has been created before, "
				     "Please specify another valid mesh_dim_name.",
				     name));
	torch_warn(world,
		   arena_printf(
			   world->arena,
			   "(silent) a mesh named '%s' was flattened before from other dims: that "
			   "one is returned",
			   name));
	return before->mesh;
}

/* All modes of the root, those of the flattened dims last: root.mesh.permute(*remained,
 * *flattened). */
static bool permuted(struct torch_world *world, const struct torch_flattened *flat,
		     struct layout *all)
{
	unsigned int in = 0;
	int i;

	for (i = 0; i < flat->dims; i++)
		in |= 1U << flat->dim[i];
	for (i = 0; i < flat->root->axes; i++)
		if (!(in & 1U << i) && !mesh_join(world, all, &flat->root->axis[i].layout))
			return false;
	for (i = 0; i < flat->dims; i++)
		if (!mesh_join(world, all, &flat->root->axis[flat->dim[i]].layout))
			return false;
	return true;
}

/* .reshape(-1, size): the innermost modes make the group, the others its first ranks. */
static bool cut(struct torch_world *world, const struct layout *all, int64_t size,
		struct mesh_axis *axis)
{
	int64_t inner = 1;
	int split = all->modes, i;

	while (split > 0 && inner < size)
		inner *= all->size[--split];
	if (inner != size) {
		torch_limit(world,
			    "flattening a mesh whose name shadows another one is not modelled");
		return false;
	}
	for (i = 0; i < all->modes; i++) {
		struct layout mode = layout_axis(all->size[i], all->stride[i]);
		if (!mesh_join(world, i < split ? &axis->starts : &axis->layout, &mode))
			return false;
	}
	return true;
}

static struct device_mesh *flatten_new(struct torch_world *world, struct torch_flattened *flat,
				       const struct device_mesh *mesh, const char *name)
{
	struct mesh_axis axis = { .name = name };
	struct layout all = { 0 }, own = { 0 };
	int i;

	for (i = 0; i < mesh->axes; i++)
		if (!mesh_join(world, &own, &mesh->axis[i].layout))
			return NULL;
	for (i = 0; i < flat->root->axes; i++)
		if (!mesh_join(world, &all, &flat->root->axis[i].layout))
			return NULL;
	if (!layout_complement(&all, flat->root->span, &axis.starts))
		return torch_limit(world,
				   "flattening a mesh that does not tile its root is not modelled");
	all.modes = 0;
	if (!permuted(world, flat, &all) || !cut(world, &all, layout_size(&own), &axis))
		return NULL;
	axis.layout = layout_coalesce(axis.layout);
	if (!axis.layout.modes) /* a group of one rank is a group */
		axis.layout = layout_axis(1, 1);
	axis.uses_default = layout_size(&axis.layout) == world->size;
	flat->mesh = mesh_new(world, flat->root->span);
	flat->mesh->flattened = true;
	mesh_add(world, flat->mesh, &axis);
	torch_elsewhere(world, mesh, "UnboundLocalError", PYTHON_UNBOUND("res_flattened_mesh"));
	vec_push(world->arena, &world->flattened, *flat);
	vec_push(world->arena, &world->submeshes,
		 ((struct torch_submesh) { flat->mesh, flat->root }));
	return flat->mesh;
}

struct device_mesh *mesh_flatten_by_index(struct torch_world *world, struct device_mesh *mesh,
					  const char *name)
{
	struct torch_flattened flat = { .root = mesh_parent(world, mesh), .dims = mesh->axes };
	const struct torch_flattened *before;
	int i;

	for (i = 0; i < mesh->axes; i++) {
		flat.dim[i] = device_mesh_axis(flat.root, mesh->axis[i].name);
		if (flat.dim[i] < 0)
			return torch_raise(world, "ValueError", TORCH_FLATTEN, TORCH_LAYOUTS, 1,
					   "tuple.index(x): x not in tuple");
	}
	if (!name || !*name)
		name = mesh_joined_name(world, mesh);
	if (torch_has(&world->torch, TORCH_FLATTEN_NAMES_CHECKED) && mesh->axes == 1 &&
	    !strcmp(name, mesh->axis[0].name))
		return mesh;
	if (!name_free(world, flat.root, name))
		return NULL;
	before = mesh_flattened(world, flat.root, name, false);
	if (before)
		return cached(world, &flat, before, name);
	return flatten_new(world, &flat, mesh, name);
}
