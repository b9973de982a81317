#include "framework/torch/device_mesh.h"
#include "framework/torch/exceptions.h"

#include "base/die.h"
#include "framework/torch/mesh_state.h"
#include "framework/torch/python.h"

#include <inttypes.h>
#include <string.h>

void torch_world_init(struct torch_world *world, struct arena *arena, struct torch_release torch,
		      int64_t size)
{
	memset(world, 0, sizeof(*world));
	world->arena = arena;
	world->torch = torch;
	world->size = size;
}

/* The product, or 0 when a size is not positive or the product is beyond 64 bits. */
static int64_t product(int count, const int64_t *sizes)
{
	int64_t all = 1;
	int i;

	for (i = 0; i < count; i++) {
		if (sizes[i] < 1 || all > INT64_MAX / sizes[i])
			return 0;
		all *= sizes[i];
	}
	return all;
}

static bool names_repeat(int count, const char *const *names)
{
	int i, j;

	for (i = 0; i < count; i++)
		for (j = 0; j < i; j++)
			if (!strcmp(names[i], names[j]))
				return true;
	return false;
}

static void *raise_repeated(struct torch_world *world, int count, const char *const *names)
{
	const char *unique = "Each mesh_dim_name must be unique.";
	const char *found =
		arena_printf(world->arena, "Found repeated mesh_dim_name in mesh_dim_names %s",
			     python_tuple(world->arena, names, count));

	if (torch_has(&world->torch, TORCH_REPEATED_NAMES_TEXT))
		return torch_raise(world, "RuntimeError", TORCH_REPEATED_NAMES_TEXT, TORCH_FEATURES,
				   1, arena_printf(world->arena, "%s %s", unique, found));
	return torch_raise(world, "RuntimeError", TORCH_FEATURES, TORCH_REPEATED_NAMES_TEXT, 2,
			   unique, found);
}

/* The size of the world was added to the text between 2.4 and 2.6. */
static void *raise_too_big(struct torch_world *world, int64_t ranks)
{
	const char *size = torch_has(&world->torch, TORCH_FLATTEN)
				   ? arena_printf(world->arena, " %" PRId64, world->size)
				   : "";

	return torch_raise(
		world, "RuntimeError", TORCH_FEATURES, TORCH_FEATURES, 1,
		exception_tell(world->arena, PYTORCH(MESH_LARGER), VALUE(size), VALUE(ranks))
			.message);
}

/*
 * First ranks of the groups of one axis of a root mesh, in order of creation: complement order, and
 * up to 2.9 the rows of mesh.swapdims(-1, axis), where the last axis takes the place of this one.
 */
static struct layout starts_of(const struct torch_world *world, const struct layout *all, int axis)
{
	struct layout starts = { 0 };
	int i;

	for (i = 0; i < all->modes; i++) {
		int from = i;
		if (!torch_has(&world->torch, TORCH_ROWS_BY_COMPLEMENT)) {
			if (i == all->modes - 1)
				break;
			if (i == axis)
				from = all->modes - 1;
		} else if (i == axis) {
			continue;
		}
		starts = layout_join(starts, layout_axis(all->size[from], all->stride[from]));
	}
	return starts;
}

struct device_mesh *device_mesh_init(struct torch_world *world, int axes, const char *const *names,
				     const int64_t *sizes)
{
	int64_t ranks = product(axes, sizes);
	struct device_mesh *mesh;
	struct layout all;
	int i;

	if (world->error.type)
		return NULL;
	if (axes < 1 || axes > TORCH_AXES || !ranks)
		return torch_limit(world,
				   "meshes of 1 to 8 axes with sizes from 1 on are modelled");
	if (names_repeat(axes, names))
		return raise_repeated(world, axes, names);
	if (ranks > world->size)
		return raise_too_big(world, ranks);
	mesh = mesh_new(world, ranks);
	all = layout_row_major(sizes, axes);
	for (i = 0; i < axes; i++) {
		struct mesh_axis axis = { .name = names[i],
					  .layout = layout_axis(all.size[i], all.stride[i]),
					  .starts = starts_of(world, &all, i) };
		axis.uses_default =
			sizes[i] == world->size &&
			(axes == 1 || torch_has(&world->torch, TORCH_DEFAULT_GROUP_PER_AXIS));
		mesh_add(world, mesh, &axis);
	}
	return mesh;
}

/* 2.2 and 2.3: one name, and the error for it names the axes there are. */
static void *raise_unknown_axis(struct torch_world *world, const struct device_mesh *mesh,
				const char *asked, enum torch_feature until)
{
	const char *names[TORCH_AXES];
	const char *prefix =
		torch_has(&world->torch, TORCH_SLICE_BY_OWN_NAME) ? "mesh_dim_names=" : "";

	return torch_raise(
		world, "KeyError", TORCH_FEATURES, until, 2,
		arena_printf(world->arena, "Mesh dimension '%s' does not exist.", asked),
		arena_printf(world->arena, "Available mesh dimensions are: %s%s", prefix,
			     python_tuple(world->arena, names, mesh_names(mesh, names))));
}

static struct device_mesh *slice_one(struct torch_world *world, struct device_mesh *mesh, int count,
				     const char *const *names, bool list)
{
	struct device_mesh *submesh;
	int axis = count == 1 && !list ? device_mesh_axis(mesh, names[0]) : -1;

	if (mesh->axes == 1 && torch_has(&world->torch, TORCH_SLICE_BY_OWN_NAME)) {
		if (axis == 0)
			return mesh;
		return torch_raise(
			world, "RuntimeError", TORCH_SLICE_BY_OWN_NAME, TORCH_TUPLE_SLICING, 1,
			arena_printf(world->arena, "Invalid mesh_dim_name %s specified.",
				     count == 1 && !list ? names[0]
							 : mesh_asked(world, count, names, list)));
	}
	if (mesh->axes == 1)
		return torch_raise(world, "RuntimeError", TORCH_FEATURES, TORCH_SLICE_BY_OWN_NAME,
				   1, "Cannot slice a DeviceMesh with 1 dimension.");
	if (axis < 0)
		return raise_unknown_axis(
			world, mesh,
			count == 1 && !list ? names[0] : mesh_asked(world, count, names, list),
			TORCH_TUPLE_SLICING);
	submesh = mesh_new(world, mesh->span);
	mesh_add(world, submesh, &mesh->axis[axis]);
	torch_elsewhere(world, mesh, "IndexError", "list index out of range");
	return submesh;
}

/* create_child_mesh of 2.4: the axes by name, each once. */
static struct device_mesh *take_axes(struct torch_world *world, const struct device_mesh *mesh,
				     int count, const char *const *names)
{
	struct device_mesh *submesh = mesh_new(world, mesh->span);
	int i;

	if (names_repeat(count, names))
		return torch_raise(world, "ValueError", TORCH_TUPLE_SLICING, TORCH_FLATTEN, 1,
				   "list.remove(x): x not in list");
	for (i = 0; i < count; i++)
		mesh_add(world, submesh, &mesh->axis[device_mesh_axis(mesh, names[i])]);
	torch_elsewhere(world, mesh, "UnboundLocalError", PYTHON_UNBOUND("res_submesh"));
	return submesh;
}

/*
 * 2.4: several names, which should stand side by side in the mesh. Only as many are compared as
 * there are dims between the first one and dim `count`, so slices that begin further in are not
 * checked.
 */
static struct device_mesh *slice_adjacent(struct torch_world *world, struct device_mesh *mesh,
					  int count, const char *const *names, bool list)
{
	const char *own[TORCH_AXES];
	int first = count ? device_mesh_axis(mesh, names[0]) : -1, i;
	bool fits = first >= 0 && count <= mesh->axes;

	for (i = 0; fits && i < count; i++)
		fits = device_mesh_axis(mesh, names[i]) >= 0;
	for (i = 0; fits && first + i < count; i++)
		fits = !strcmp(names[i], mesh->axis[first + i].name);
	if (fits)
		return take_axes(world, mesh, count, names);
	return torch_raise(
		world, "KeyError", TORCH_TUPLE_SLICING, TORCH_FLATTEN, 1,
		arena_printf(world->arena,
			     "Invalid mesh_dim_name %s specified. Valid mesh_dim_names should "
			     "be a contiguous subsequence of %s.",
			     mesh_asked(world, count, names, list),
			     python_tuple(world->arena, own, mesh_names(mesh, own))));
}

static bool own_names(const struct device_mesh *mesh, int count, const char *const *names)
{
	int i;

	if (count != mesh->axes)
		return false;
	for (i = 0; i < count; i++)
		if (strcmp(names[i], mesh->axis[i].name) != 0)
			return false;
	return true;
}

static struct device_mesh *slice(struct torch_world *world, struct device_mesh *mesh, int count,
				 const char *const *names, bool list)
{
	if (world->error.type)
		return NULL;
	if (!torch_has(&world->torch, TORCH_TUPLE_SLICING))
		return slice_one(world, mesh, count, names, list);
	if (!list && own_names(mesh, count, names))
		return mesh;
	if (!torch_has(&world->torch, TORCH_FLATTEN))
		return slice_adjacent(world, mesh, count, names, list);
	if (!torch_has(&world->torch, TORCH_LAYOUTS))
		return mesh_slice_by_index(world, mesh, count, names, list);
	return mesh_slice_by_layout(world, mesh, count, names, list);
}

struct device_mesh *device_mesh_slice(struct torch_world *world, struct device_mesh *mesh,
				      int count, const char *const *names)
{
	return slice(world, mesh, count, names, false);
}

struct device_mesh *device_mesh_slice_list(struct torch_world *world, struct device_mesh *mesh,
					   int count, const char *const *names)
{
	return slice(world, mesh, count, names, true);
}

static void *raise_no_attribute(struct torch_world *world, const char *holder, const char *name,
				enum torch_feature until)
{
	return torch_raise(world, "AttributeError", TORCH_FEATURES, until, 1,
			   arena_printf(world->arena, "%s has no attribute '%s'", holder, name));
}

struct device_mesh *device_mesh_flatten(struct torch_world *world, struct device_mesh *mesh,
					const char *name)
{
	if (world->error.type)
		return NULL;
	if (!torch_has(&world->torch, TORCH_FLATTEN))
		return raise_no_attribute(world, "'DeviceMesh' object", "_flatten", TORCH_FLATTEN);
	if (!torch_has(&world->torch, TORCH_LAYOUTS))
		return mesh_flatten_by_index(world, mesh, name);
	return mesh_flatten_by_layout(world, mesh, name);
}

/* The flattened mesh of that name beside the mesh, or NULL. */
static const struct torch_flattened *
flattened_beside(struct torch_world *world, const struct device_mesh *mesh, const char *name)
{
	if (torch_has(&world->torch, TORCH_LAYOUTS))
		return mesh_flattened(world, mesh->root ? mesh->root : mesh, name, true);
	if (torch_has(&world->torch, TORCH_FLATTEN))
		return mesh_flattened(world, mesh_parent(world, mesh), name, false);
	return NULL;
}

struct torch_group device_mesh_get_group(struct torch_world *world, const struct device_mesh *mesh,
					 const char *name)
{
	bool lists = !torch_has(&world->torch, TORCH_TUPLE_SLICING); /* 2.2, 2.3: all groups */
	const struct torch_flattened *flat;
	struct torch_group group = { NULL, 0 };

	if (world->error.type)
		return group;
	if (!name && mesh->axes > 1 && !lists) {
		torch_raise(
			world, "RuntimeError", TORCH_TUPLE_SLICING, TORCH_FEATURES, 3,
			arena_printf(world->arena, "Found the DeviceMesh have %d dimensions",
				     mesh->axes),
			"Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > "
			"1.",
			"If you want to get the list of all the ProcessGroups in the DeviceMesh,"
			"please use `get_all_groups()` instead.");
		return group;
	}
	if (!name || (mesh->axes == 1 && lists)) {
		group = (struct torch_group) { mesh, mesh->axes > 1 ? -1 : 0 };
	} else if ((flat = flattened_beside(world, mesh, name))) {
		group = (struct torch_group) { flat->mesh, 0 };
	} else {
		group.axis = device_mesh_axis(mesh, name);
		if (group.axis >= 0)
			group.mesh = mesh;
		else
			raise_unknown_axis(world, mesh, name, TORCH_FEATURES);
	}
	if (group.mesh)
		torch_elsewhere(world, mesh, "IndexError", "list index out of range");
	return group;
}

int device_mesh_axis(const struct device_mesh *mesh, const char *name)
{
	int i;

	for (i = 0; i < mesh->axes; i++)
		if (!strcmp(mesh->axis[i].name, name))
			return i;
	return -1;
}

static const struct mesh_axis *axis_of(const struct device_mesh *mesh, int axis)
{
	if (axis < 0 || axis >= mesh->axes)
		bug("axis %d of a mesh of %d axes", axis, mesh->axes);
	return &mesh->axis[axis];
}

int device_mesh_axes(const struct device_mesh *mesh)
{
	return mesh->axes;
}

const char *device_mesh_name(const struct device_mesh *mesh, int axis)
{
	return axis_of(mesh, axis)->name;
}

int64_t device_mesh_size(const struct device_mesh *mesh, int axis)
{
	return layout_size(&axis_of(mesh, axis)->layout);
}

const struct layout *device_mesh_layout(const struct device_mesh *mesh, int axis)
{
	return &axis_of(mesh, axis)->layout;
}

bool device_mesh_is_fake(const struct device_mesh *mesh, int axis)
{
	return axis_of(mesh, axis)->fake;
}

bool device_mesh_uses_default_group(const struct device_mesh *mesh, int axis)
{
	return axis_of(mesh, axis)->uses_default;
}

int64_t device_mesh_group_count(const struct device_mesh *mesh, int axis)
{
	return layout_size(&axis_of(mesh, axis)->starts);
}

int64_t device_mesh_group_rank(const struct device_mesh *mesh, int axis, int64_t group,
			       int64_t member)
{
	const struct mesh_axis *of = axis_of(mesh, axis);

	return layout_offset(&of->starts, group) + layout_offset(&of->layout, member);
}
