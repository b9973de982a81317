#ifndef FRAMEWORK_TORCH_MESH_EXPR_H
#define FRAMEWORK_TORCH_MESH_EXPR_H

#include "base/source.h"
#include "framework/torch/device_mesh.h"

/*
 * The little language of `parplan mesh`: statements separated by ";" or line breaks, each an
 * expression with an optional "NAME =" before it; the value is that of the last one.
 *
 *     init(ddp=2, fsdp=2)        init_device_mesh
 *     m[ddp, fsdp]  m[[ddp]]     slices by a tuple of names, by a list of names
 *     flatten(M), flatten(M, x)  M._flatten("x")
 *     unflatten(M, axis, a=2)    M._unflatten
 *     concatenate(M, N)          DeviceMesh._concatenate
 *     get_group(M, name)         M.get_group("name")
 *
 * Names may be quoted. At most 64 KiB, 64 levels deep.
 */
struct mesh_variable {
	const char *name;
	struct device_mesh *mesh;
};

struct mesh_result {
	const struct device_mesh *mesh; /* the value; NULL after an error */
	int axis;			/* get_group: the one axis meant; else -1 */
	const char *problem; /* what is wrong with the text, at `span`; NULL: it could be read */
	struct span span;    /* of the last expression, or of what failed */
	VEC(struct mesh_variable) variables; /* all assignments of meshes, in their order */
};

/*
 * Evaluates; what PyTorch raises is in world->error. A world of size 0 gets the size of the first
 * mesh that is initialised.
 */
struct mesh_result mesh_evaluate(struct torch_world *world, const struct source *source);

#endif
