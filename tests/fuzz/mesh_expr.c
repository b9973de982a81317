#include "base/die.h"
#include "framework/torch/mesh_expr.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Expressions of `parplan mesh`: the first byte picks the version and whether the world is given,
 * the rest is the text. Whatever comes out, the groups of an axis hold ranks of the world.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_axis(const struct torch_world *world, const struct device_mesh *mesh, int axis)
{
	int64_t groups = device_mesh_group_count(mesh, axis),
		members = device_mesh_size(mesh, axis);
	int64_t last = device_mesh_group_rank(mesh, axis, groups - 1, members - 1);

	if (groups < 1 || members < 1 || groups > world->size / members)
		bug("%lld groups of %lld in a world of %lld", (long long)groups, (long long)members,
		    (long long)world->size);
	if (device_mesh_group_rank(mesh, axis, 0, 0) != 0 || last != groups * members - 1)
		bug("groups reach from %lld to %lld",
		    (long long)device_mesh_group_rank(mesh, axis, 0, 0), (long long)last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const versions[] = { "2.2", "2.4", "2.5",  "2.6",
						"2.8", "2.9", "2.11", "2.14" };
	struct torch_release torch;
	struct torch_world world;
	struct mesh_result result;
	struct arena arena;
	char *text;
	int i;

	if (!size)
		return 0;
	arena_init(&arena);
	torch_parse(&arena, versions[data[0] & 7], &torch);
	torch_world_init(&world, &arena, torch, data[0] & 8 ? 64 : 0);
	text = arena_alloc(&arena, size);
	memcpy(text, data + 1, size - 1);
	result = mesh_evaluate(&world, source_new(&arena, "<fuzz>", text, size - 1));
	if (!result.mesh && !result.problem && !world.error.type)
		bug("neither a mesh nor an error");
	for (i = 0; result.mesh && i < device_mesh_axes(result.mesh); i++) {
		device_mesh_repr(&world, result.mesh);
		check_axis(&world, result.mesh, i);
	}
	arena_release(&arena);
	return 0;
}
