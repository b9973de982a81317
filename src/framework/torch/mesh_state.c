#include "framework/torch/mesh_state.h"

#include "base/buf.h"
#include "framework/torch/python.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

void *torch_raise(struct torch_world *world, const char *type, enum torch_feature since,
		  enum torch_feature until, int count, ...)
{
	const char *args[4] = { NULL };
	va_list list;
	int i;

	if (world->error.type)
		return NULL;
	va_start(list, count);
	for (i = 0; i < count && i < 4; i++)
		args[i] = va_arg(list, const char *);
	va_end(list);
	world->error.type = type;
	world->error.message = python_exception(world->arena, type, args, count);
	world->error.since = since;
	world->error.until = until;
	return NULL;
}

void *torch_limit(struct torch_world *world, const char *what)
{
	if (world->error.type)
		return NULL;
	world->error = (struct torch_error) { .type = "Limit",
					      .message = what,
					      .limit = true,
					      .since = TORCH_FEATURES,
					      .until = TORCH_FEATURES };
	return NULL;
}

void torch_warn(struct torch_world *world, const char *text)
{
	size_t i;

	for (i = 0; i < world->warnings.count; i++)
		if (!strcmp(world->warnings.items[i], text))
			return;
	vec_push(world->arena, &world->warnings, text);
}

void torch_elsewhere(struct torch_world *world, const struct device_mesh *mesh, const char *type,
		     const char *message)
{
	int64_t end = world->raised_elsewhere ? world->raised_elsewhere : world->size;

	if (mesh->span >= end)
		return;
	torch_warn(world, arena_printf(world->arena,
				       "(elsewhere) ranks %" PRId64 " to %" PRId64
				       ", outside the mesh, raise %s: %s",
				       mesh->span, end - 1, type, message));
	world->raised_elsewhere = mesh->span;
}

struct device_mesh *mesh_new(struct torch_world *world, int64_t span)
{
	struct device_mesh *mesh = arena_new(world->arena, struct device_mesh);

	mesh->span = span;
	return mesh;
}

bool mesh_add(struct torch_world *world, struct device_mesh *mesh, const struct mesh_axis *axis)
{
	if (mesh->axes == TORCH_AXES) {
		torch_limit(world, "meshes of more than 8 axes are not modelled");
		return false;
	}
	mesh->axis[mesh->axes++] = *axis;
	return true;
}

int64_t mesh_size(const struct device_mesh *mesh)
{
	int64_t size = 1;
	int i;

	for (i = 0; i < mesh->axes; i++)
		size *= layout_size(&mesh->axis[i].layout);
	return size;
}

bool mesh_join(struct torch_world *world, struct layout *outer, const struct layout *inner)
{
	if (outer->modes + inner->modes > LAYOUT_MODES) {
		torch_limit(world, "layouts of more than 12 modes are not modelled");
		return false;
	}
	*outer = layout_join(*outer, *inner);
	return true;
}

static bool same_ranks(const struct layout *a, const struct layout *b)
{
	struct layout x = layout_coalesce(*a), y = layout_coalesce(*b);

	return x.modes == y.modes && !memcmp(x.size, y.size, (size_t)x.modes * sizeof(x.size[0])) &&
	       !memcmp(x.stride, y.stride, (size_t)x.modes * sizeof(x.stride[0]));
}

bool mesh_equal(const struct device_mesh *a, const struct device_mesh *b)
{
	int i;

	if (a == b)
		return true;
	if (a->axes != b->axes || a->span != b->span)
		return false;
	for (i = 0; i < a->axes; i++)
		if (strcmp(a->axis[i].name, b->axis[i].name) != 0 ||
		    !same_ranks(&a->axis[i].layout, &b->axis[i].layout))
			return false;
	return true;
}

int mesh_names(const struct device_mesh *mesh, const char **names)
{
	int i;

	for (i = 0; i < mesh->axes; i++)
		names[i] = mesh->axis[i].name;
	return mesh->axes;
}

static const char *finish(struct arena *arena, struct buf *out)
{
	const char *text = arena_strndup(arena, out->data, out->length);

	buf_release(out);
	return text;
}

const char *mesh_joined_name(struct torch_world *world, const struct device_mesh *mesh)
{
	struct buf out;
	int i;

	buf_init(&out);
	for (i = 0; i < mesh->axes; i++) {
		if (i)
			buf_char(&out, '_');
		buf_text(&out, mesh->axis[i].name);
	}
	return finish(world->arena, &out);
}

struct torch_flattened *mesh_flattened(struct torch_world *world, const struct device_mesh *root,
				       const char *name, bool same)
{
	size_t i;

	for (i = 0; i < world->flattened.count; i++) {
		struct torch_flattened *entry = &world->flattened.items[i];
		if ((entry->root == root || (!same && mesh_equal(entry->root, root))) &&
		    !strcmp(entry->mesh->axis[0].name, name))
			return entry;
	}
	return NULL;
}

const struct device_mesh *mesh_parent(const struct torch_world *world,
				      const struct device_mesh *mesh)
{
	size_t i;

	for (i = world->submeshes.count; i-- > 0;)
		if (mesh_equal(world->submeshes.items[i].mesh, mesh))
			return world->submeshes.items[i].parent;
	return mesh;
}

const char *mesh_valid_names(struct torch_world *world, const struct device_mesh *mesh,
			     const struct device_mesh *root, bool same)
{
	VEC(const char *) names = { 0 };
	size_t i;
	int axis;

	for (axis = 0; axis < mesh->axes; axis++)
		vec_push(world->arena, &names, mesh->axis[axis].name);
	for (i = 0; root && i < world->flattened.count; i++) {
		const struct torch_flattened *entry = &world->flattened.items[i];
		if (entry->root == root || (!same && mesh_equal(entry->root, root)))
			vec_push(world->arena, &names, entry->mesh->axis[0].name);
	}
	return python_list(world->arena, names.items, (int)names.count);
}

const char *mesh_asked(struct torch_world *world, int count, const char *const *names, bool list)
{
	return list ? python_list(world->arena, names, count)
		    : python_tuple(world->arena, names, count);
}

/* The ranks of the submesh of rank 0 as nested lists, tensor.tolist(). */
static void put_ranks(struct buf *out, const struct device_mesh *mesh, int axis, int64_t base)
{
	int64_t i, size;

	if (axis == mesh->axes) {
		buf_printf(out, "%" PRId64, base);
		return;
	}
	size = layout_size(&mesh->axis[axis].layout);
	buf_char(out, '[');
	for (i = 0; i < size; i++) {
		if (i)
			buf_text(out, ", ");
		put_ranks(out, mesh, axis + 1, base + layout_offset(&mesh->axis[axis].layout, i));
	}
	buf_char(out, ']');
}

/*
 * Up to 2.8 the ranks are printed; more than 1,024 of them are left out here. Names came with 2.3,
 * the device type between 2.4 and 2.6.
 */
static void put_repr_of_ranks(struct buf *out, const struct torch_world *world,
			      const struct device_mesh *mesh)
{
	const char *names[TORCH_AXES];

	buf_text(out,
		 torch_has(&world->torch, TORCH_FLATTEN) ? "DeviceMesh('cuda', " : "DeviceMesh(");
	if (mesh_size(mesh) <= 1024)
		put_ranks(out, mesh, 0, 0);
	else
		buf_text(out, "[...]");
	if (torch_has(&world->torch, TORCH_SLICE_BY_OWN_NAME))
		buf_printf(out, ", mesh_dim_names=%s",
			   python_tuple(world->arena, names, mesh_names(mesh, names)));
	buf_char(out, ')');
}

static void put_shape(struct buf *out, const struct device_mesh *mesh)
{
	int i;

	buf_text(out, "DeviceMesh((");
	for (i = 0; i < mesh->axes; i++)
		buf_printf(out, "%s%s=%" PRId64, i ? ", " : "", mesh->axis[i].name,
			   layout_size(&mesh->axis[i].layout));
	buf_char(out, ')');
}

/* The stride of one axis in a layout: 4, (8, 2), or () where 2.13 drops a size-1 axis. */
static void put_stride(struct buf *out, const struct layout *layout, bool drops_units)
{
	struct layout flat = layout_coalesce(*layout);
	int i;

	if (flat.modes == 0) {
		if (drops_units)
			buf_text(out, "()");
		else
			buf_printf(out, "%" PRId64, layout->modes ? layout->stride[0] : 0);
	} else if (flat.modes == 1) {
		buf_printf(out, "%" PRId64, flat.stride[0]);
	} else {
		for (i = 0; i < flat.modes; i++)
			buf_printf(out, "%s%" PRId64, i ? ", " : "(", flat.stride[i]);
		buf_char(out, ')');
	}
}

static void put_strides(struct buf *out, const struct torch_world *world,
			const struct device_mesh *mesh)
{
	bool drops_units = torch_has(&world->torch, TORCH_ORTHOGONAL_SLICING);
	bool bare =
		mesh->flattened && !drops_units && layout_coalesce(mesh->axis[0].layout).modes < 2;
	int i;

	buf_text(out, bare ? "" : "(");
	for (i = 0; i < mesh->axes; i++) {
		if (i)
			buf_text(out, ", ");
		put_stride(out, &mesh->axis[i].layout, drops_units);
	}
	buf_text(out, bare ? "" : mesh->axes == 1 ? ",)" : ")");
}

/* In 2.9: the strides of the mesh tensor, which is contiguous. */
static void put_tensor_strides(struct buf *out, const struct torch_world *world,
			       const struct device_mesh *mesh)
{
	int64_t strides[TORCH_AXES], stride = 1;
	int i;

	for (i = mesh->axes - 1; i >= 0; i--) {
		strides[i] = stride;
		stride *= layout_size(&mesh->axis[i].layout);
	}
	buf_text(out, python_ints(world->arena, strides, mesh->axes));
}

const char *device_mesh_repr(const struct torch_world *world, const struct device_mesh *mesh)
{
	struct buf out;

	buf_init(&out);
	if (!torch_has(&world->torch, TORCH_SHORT_MESH_TEXTS)) {
		put_repr_of_ranks(&out, world, mesh);
		return finish(world->arena, &out);
	}
	put_shape(&out, mesh);
	if (torch_has(&world->torch, TORCH_LAYOUTS)) {
		buf_text(&out, ", 'cuda', stride=");
		put_strides(&out, world, mesh);
	} else {
		buf_text(&out, ", device: 'cuda', stride: ");
		put_tensor_strides(&out, world, mesh);
	}
	buf_char(&out, ')');
	return finish(world->arena, &out);
}
