#include "framework/torch/mesh_expr.h"

#include "base/buf.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/* Evaluates under a version; the value is "a: 0,4 1,5; b: ...", an exception "Type: message". */
static const char *evaluate(struct arena *arena, const char *version, int64_t size,
			    const char *text, struct torch_world *world)
{
	struct torch_release torch;
	struct mesh_result result;
	struct buf out;
	const char *answer;
	int64_t g, m;
	int i;

	assert_true(torch_parse(arena, version, &torch));
	torch_world_init(world, arena, torch, size);
	result = mesh_evaluate(world, source_new(arena, "<test>", text, strlen(text)));
	if (result.problem)
		return arena_printf(arena, "problem: %s", result.problem);
	if (world->error.type)
		return arena_printf(arena, "%s: %s", world->error.type, world->error.message);
	buf_init(&out);
	for (i = 0; i < device_mesh_axes(result.mesh); i++) {
		if (result.axis >= 0 && result.axis != i)
			continue;
		buf_printf(&out, "%s%s:", out.length ? "; " : "", device_mesh_name(result.mesh, i));
		for (g = 0; g < device_mesh_group_count(result.mesh, i); g++)
			for (m = 0; m < device_mesh_size(result.mesh, i); m++)
				buf_printf(&out, "%s%" PRId64, m ? "," : " ",
					   device_mesh_group_rank(result.mesh, i, g, m));
	}
	answer = arena_strdup(arena, out.data);
	buf_release(&out);
	return answer;
}

struct row {
	const char *torch, *expression, *want;
};

static void hold(const struct row *rows, size_t count)
{
	struct torch_world world;
	struct arena arena;
	size_t i;

	arena_init(&arena);
	for (i = 0; i < count; i++) {
		const char *got = evaluate(&arena, rows[i].torch, 0, rows[i].expression, &world);
		if (strcmp(got, rows[i].want) != 0)
			print_error("torch %s, %s\n", rows[i].torch, rows[i].expression);
		assert_string_equal(got, rows[i].want);
	}
	arena_release(&arena);
}

#define HOLD(rows) hold(rows, sizeof(rows) / sizeof(*(rows)))

/* mesh.swapdims(-1, dim).reshape(-1, size) up to 2.9, complement order from 2.10 on. */
static void groups_are_created_in_order(void **state)
{
	static const struct row rows[] = {
		{ "2.8.0", "m = init(a=2, b=2, c=2); m[a]", "a: 0,4 2,6 1,5 3,7" },
		{ "2.9.0", "m = init(a=2, b=2, c=2); m[a]", "a: 0,4 2,6 1,5 3,7" },
		{ "2.10.0", "m = init(a=2, b=2, c=2); m[a]", "a: 0,4 1,5 2,6 3,7" },
		{ "2.8.0", "m = init(a=2, b=2, c=2); m[b]", "b: 0,2 1,3 4,6 5,7" },
		{ "2.8.0", "m = init(a=2, b=4); m", "a: 0,4 1,5 2,6 3,7; b: 0,1,2,3 4,5,6,7" },
		{ "2.8.0", "m = init(a=2, b=3, c=4); m[a]",
		  "a: 0,12 4,16 8,20 1,13 5,17 9,21 2,14 6,18 10,22 3,15 7,19 11,23" },
		{ "2.10.0", "m = init(a=2, b=3, c=4); m[b]",
		  "b: 0,4,8 1,5,9 2,6,10 3,7,11 12,16,20 13,17,21 14,18,22 15,19,23" },
		{ "2.8.0", "m = init(a=2, b=2, c=2, d=2); m[b]",
		  "b: 0,4 2,6 1,5 3,7 8,12 10,14 9,13 11,15" },
		{ "2.8.0", "m = init(a=2, b=1, c=4); m[b]", "b: 0 1 2 3 4 5 6 7" },
		{ "2.14.0", "m = init(a=1, b=4); m[a]", "a: 0 1 2 3" },
		{ "2.8.0", "m = init(a=2, b=2, c=2, d=2); flatten(m[a, c], x)",
		  "x: 0,2,8,10 1,3,9,11 4,6,12,14 5,7,13,15" },
		{ "2.10.0", "m = init(a=2, b=2, c=2); flatten(m[a, c], x)", "x: 0,1,4,5 2,3,6,7" },
		{ "2.9.0", "m = init(a=2, b=3, c=4); flatten(m[a, b], x)",
		  "x: 0,4,8,12,16,20 1,5,9,13,17,21 2,6,10,14,18,22 3,7,11,15,19,23" },
	};

	(void)state;
	HOLD(rows);
}

static void slices_by_version(void **state)
{
	static const struct row rows[] = {
		{ "2.2", "m = init(a=2, b=2); m[b]", "b: 0,1 2,3" },
		{ "2.2", "m = init(a=4); m[a]",
		  "RuntimeError: Cannot slice a DeviceMesh with 1 dimension." },
		{ "2.3", "m = init(a=4); m[a]", "a: 0,1,2,3" },
		{ "2.2", "m = init(a=2, b=2); m[c]",
		  "KeyError: (\"Mesh dimension 'c' does not exist.\", \"Available mesh dimensions "
		  "are: ('a', "
		  "'b')\")" },
		{ "2.4", "m = init(a=2, b=2, c=2); h = m[a, b]; h[b]", "b: 0,2 1,3 4,6 5,7" },
		/* only the dims up to the second are compared */
		{ "2.4", "m = init(a=2, b=2, c=2); m[b, a]",
		  "b: 0,2 1,3 4,6 5,7; a: 0,4 2,6 1,5 3,7" },
		{ "2.4", "m = init(a=2, b=2, c=2); m[b, b]",
		  "ValueError: list.remove(x): x not in list" },
		{ "2.3", "m = init(a=2, b=2); m[c]",
		  "KeyError: (\"Mesh dimension 'c' does not exist.\", \"Available mesh dimensions "
		  "are: "
		  "mesh_dim_names=('a', 'b')\")" },
		{ "2.4", "m = init(a=2, b=2, c=2); m[a, c]",
		  "KeyError: \"Invalid mesh_dim_name ('a', 'c') specified. Valid mesh_dim_names "
		  "should be a "
		  "contiguous subsequence of ('a', 'b', 'c').\"" },
		{ "2.5", "m = init(a=2, b=2, c=2); h = m[a, b]; h[b]",
		  "RuntimeError: Cannot create a submesh from a submesh." },
		{ "2.8", "m = init(a=2, b=2, c=2); h = m[a, b]; h[b]",
		  "RuntimeError: Cannot create a submesh from a submesh." },
		{ "2.8", "m = init(a=2, b=2, c=2); h = m[a, b]; h[a, b]",
		  "a: 0,4 1,5 2,6 3,7; b: 0,2 1,3 4,6 5,7" },
		{ "2.8", "m = init(a=2, b=2, c=2); h = m[a, b]; h[[a, b]]",
		  "RuntimeError: Cannot create a submesh from a submesh." },
		{ "2.9", "m = init(a=2, b=2, c=2); h = m[a, b]; h[b]", "b: 0,2 1,3 4,6 5,7" },
		{ "2.14", "m = init(a=2, b=2, c=2); h = m[a, b]; h[b]", "b: 0,2 1,3 4,6 5,7" },
		{ "2.8", "m = init(a=2, b=2, c=2); m[a, c]",
		  "a: 0,4 1,5 2,6 3,7; c: 0,1 2,3 4,5 6,7" },
		{ "2.8", "m = init(a=2, b=2, c=2); m[b, a]",
		  "KeyError: (\"Invalid mesh_dim_names ('b', 'a') specified. \", 'Found mesh dim "
		  "indices to "
		  "slice: [(1,), (0,)]. ', 'Mesh dim indices should be in ascending order.')" },
		{ "2.9", "m = init(a=2, b=2, c=2); m[b, a]",
		  "KeyError: \"Invalid mesh_dim_names ('b', 'a') specified. Found mesh dim indices "
		  "to slice: "
		  "[(1,), (0,)]. Mesh dim indices should be in ascending order.\"" },
		{ "2.10", "m = init(a=2, b=2, c=2); m[b, a]",
		  "KeyError: \"Invalid mesh_dim_names ('b', 'a') specified. Mesh dim indices "
		  "should be in "
		  "ascending order.\"" },
		{ "2.14", "m = init(a=2, b=2, c=2); m[b, a]",
		  "KeyError: \"Invalid mesh_dim_names ('b', 'a') specified. Mesh dim indices "
		  "should be in "
		  "ascending order.\"" },
		{ "2.8", "m = init(DP=2, TP=4); m[PP]",
		  "KeyError: \"Invalid mesh_dim_names ('PP',) specified. Valid mesh_dim_names are "
		  "['DP', "
		  "'TP'].\"" },
		{ "2.14", "m = init(DP=2, TP=4); f = flatten(m, all); m[[PP]]",
		  "KeyError: \"Invalid mesh_dim_names ['PP'] specified. Valid mesh_dim_names are "
		  "['DP', 'TP', "
		  "'all'].\"" },
	};

	(void)state;
	HOLD(rows);
}

static void flattens_by_version(void **state)
{
	static const struct row rows[] = {
		{ "2.4", "m = init(a=2, b=2); flatten(m)",
		  "AttributeError: 'DeviceMesh' object has no attribute '_flatten'" },
		{ "2.8", "m = init(dp=2, cp=2, tp=2); flatten(m[dp, cp])",
		  "dp_cp: 0,2,4,6 1,3,5,7" },
		{ "2.8", "m = init(dp=2, cp=2, tp=2); f = flatten(m[dp, cp]); m[dp_cp, tp]",
		  "dp_cp: 0,2,4,6 1,3,5,7; tp: 0,1 2,3 4,5 6,7" },
		{ "2.8",
		  "m = init(replicate=2, shard=2, cp=2); f = flatten(m[shard, cp], shard_cp); "
		  "m[replicate, shard_cp]",
		  "replicate: 0,4 1,5 2,6 3,7; shard_cp: 0,1,2,3 4,5,6,7" },
		{ "2.8", "m = init(dp=2, cp=2, tp=2); f = flatten(m[dp, cp]); f[dp]",
		  "RuntimeError: Cannot create a submesh from a submesh." },
		/* the flattened axis stands where its last dim stands */
		{ "2.8", "m = init(dp=2, cp=2, tp=2); f = flatten(m[dp, tp]); m[dp_tp, cp]",
		  "KeyError: (\"Invalid mesh_dim_names ('dp_tp', 'cp') specified. \", 'Found mesh "
		  "dim "
		  "indices to slice: [(0, 2), (1,)]. ', 'Mesh dim indices should be in ascending "
		  "order.')" },
		/* names: a letter of another name, an existing name, a second time */
		{ "2.8", "m = init(dp=2, cp=2); flatten(m, d)",
		  "RuntimeError: (\"d already exists for submesh of the DeviceMesh('cuda', [[0, "
		  "1], [2, 3]], "
		  "mesh_dim_names=('dp', 'cp')). \", 'The mesh_dim_names of submesh and flattened "
		  "mesh are "
		  "<itertools.chain object>. Please specify another valid mesh_dim_name.')" },
		{ "2.8", "m = init(dp=2, cp=2); f = flatten(m, dp); m[dp]", "dp: 0,1,2,3" },
		{ "2.9", "m = init(dp=2, cp=2); flatten(m, dp)",
		  "RuntimeError: (\"dp already exists for submesh of the DeviceMesh((dp=2, cp=2), "
		  "device: "
		  "'cuda', stride: (2, 1)). \", 'The mesh_dim_names of submesh and flattened mesh "
		  "are <itertools.chain object>. Please specify another valid mesh_dim_name.')" },
		{ "2.10", "m = init(dp=2, cp=2); flatten(m, dp)",
		  "ValueError: (\"dp already exists for submesh of the DeviceMesh((dp=2, cp=2), "
		  "'cuda', "
		  "stride=(2, 1)). \", \"The mesh_dim_names of submesh and flattened mesh are "
		  "('dp', 'cp'). "
		  "Please specify another valid mesh_dim_name.\")" },
		{ "2.8",
		  "m = init(dp=2, cp=2, tp=2); f = flatten(m[dp, cp], x1); flatten(m[cp, tp], x1)",
		  "x1: 0,2,4,6 1,3,5,7" },
		{ "2.9",
		  "m = init(dp=2, cp=2, tp=2); f = flatten(m[dp, cp], x1); flatten(m[cp, tp], x1)",
		  "x1: 0,2,4,6 1,3,5,7" },
		{ "2.10",
		  "m = init(dp=2, cp=2, tp=2); f = flatten(m[dp, cp], x1); flatten(m[cp, tp], x1)",
		  "ValueError: Flatten mesh with mesh_dim_name x1 has been created before, Please "
		  "specify "
		  "another valid mesh_dim_name." },
		{ "2.14",
		  "m = init(dp=2, cp=2, tp=2); f = flatten(m[dp, cp], x1); flatten(m[cp, tp], x1)",
		  "ValueError: Flatten mesh with mesh_dim_name x1 has been created before, Please "
		  "specify "
		  "another valid mesh_dim_name." },
		{ "2.9", "m = init(dp=2, cp=2); f = flatten(m, x1); flatten(m, x1)",
		  "x1: 0,1,2,3" },
		{ "2.10", "m = init(default=4); flatten(m, default)", "default: 0,1,2,3" },
		/* a flattened name is no dim of the root */
		{ "2.8",
		  "m = init(dp=2, cp=2, tp=2); f = flatten(m[dp, cp]); flatten(m[dp_cp, tp], x1)",
		  "ValueError: tuple.index(x): x not in tuple" },
		{ "2.10",
		  "m = init(dp=2, cp=2, tp=2); f = flatten(m[dp, cp]); flatten(m[dp_cp, tp], x1)",
		  "x1: 0,1,2,3,4,5,6,7" },
		/* three dims: pytorch#138945 */
		{ "2.5.0", "m = init(a=2, b=2, c=2, d=2); f = flatten(m[a, b, c], x1); m[x1, d]",
		  "IndexError: Dimension out of range (expected to be in range of [-4, 3], but got "
		  "4)" },
		{ "2.6.0", "m = init(a=2, b=2, c=2, d=2); f = flatten(m[a, b, c], x1); m[x1]",
		  "x1: 0,2,4,6,8,10,12,14 1,3,5,7,9,11,13,15" },
		/* dims that are not adjacent */
		{ "2.8", "m = init(a=2, b=2, c=2, d=2); f = flatten(m[a, c], x1); m[x1, d]",
		  "ValueError: list.remove(x): x not in list" },
		{ "2.9", "m = init(a=2, b=2, c=2, d=2); f = flatten(m[a, c], x1); m[x1, d]",
		  "NotImplementedError: Currently, this only allows slicing out a contiguous "
		  "flattened dim." },
		{ "2.11", "m = init(a=2, b=2, c=2, d=2); f = flatten(m[a, c], x1); m[x1, d]",
		  "NotImplementedError: Currently, this only allows slicing out a contiguous "
		  "flattened dim." },
		{ "2.13", "m = init(a=2, b=2, c=2, d=2); f = flatten(m[a, c], x1); m[x1, d]",
		  "x1: 0,2,8,10 1,3,9,11 4,6,12,14 5,7,13,15; d: 0,1 2,3 4,5 6,7 8,9 10,11 12,13 "
		  "14,15" },
		{ "2.14", "m = init(a=2, b=2, c=2); f = flatten(m[a, b], x1); m[x1, b]",
		  "RuntimeError: Slicing overlapping dim_names ('x1', 'b') is not allowed." },
		/* four dims of which one is 1; all of them 1 */
		{ "2.10",
		  "m = init(dp_replicate=2, dp_shard=2, cp=2, tp=1); f = flatten(m[dp_replicate, "
		  "dp_shard, cp], "
		  "dp_cp); s = flatten(m[dp_shard, cp], dp_shard_cp); d = flatten(m[dp_replicate, "
		  "dp_shard_cp], dp); m[dp, tp]",
		  "dp: 0,1,2,3,4,5,6,7; tp: 0 1 2 3 4 5 6 7" },
		{ "2.11", "m = init(r=1, s=1, c=1, t=1); f = flatten(m[s, c], sc); m[r, sc, t]",
		  "r: 0; sc: 0; t: 0" },
	};

	(void)state;
	HOLD(rows);
}

static void unflattens_and_concatenates(void **state)
{
	static const struct row rows[] = {
		{ "2.9", "w = init(world=8); unflatten(w, world, a=2, b=4)",
		  "AttributeError: 'DeviceMesh' object has no attribute '_unflatten'" },
		{ "2.9", "m = init(a=2, b=2); concatenate(m[a], m[b])",
		  "AttributeError: type object 'DeviceMesh' has no attribute '_concatenate'" },
		{ "2.10", "w = init(world=8); unflatten(w, world, a=2, b=4)",
		  "a: 0,4 1,5 2,6 3,7; b: 0,1,2,3 4,5,6,7" },
		{ "2.10", "m = init(dp=4, tp=2); unflatten(m, dp, shard=2, replicate=2)",
		  "shard: 0,4 1,5 2,6 3,7; replicate: 0,2 1,3 4,6 5,7; tp: 0,1 2,3 4,5 6,7" },
		{ "2.14", "m = init(dp=4, tp=2); u = unflatten(m, dp, shard=2, rep=2); m[shard]",
		  "KeyError: \"Invalid mesh_dim_names ('shard',) specified. Valid mesh_dim_names "
		  "are ['dp', "
		  "'tp'].\"" },
		{ "2.14", "w = init(world=8); unflatten(w, world, a=2, b=2)",
		  "ValueError: The product of mesh_sizes=(2, 2) is 4, but the original dimension "
		  "at dim=0 has "
		  "size 8. These must be equal for unflatten to work correctly." },
		/* an axis of two modes, cut again */
		{ "2.14",
		  "m = init(a=2, b=2, c=2); f = flatten(m[a, c], x); unflatten(f, x, p=2, q=2)",
		  "p: 0,4 1,5 2,6 3,7; q: 0,1 2,3 4,5 6,7" },
		{ "2.10", "m = init(pp=2, dp=2, tp=2); concatenate(m[dp], m[tp])",
		  "dp: 0,2 1,3 4,6 5,7; tp: 0,1 2,3 4,5 6,7" },
		{ "2.10", "m = init(tp=2, dp=2); concatenate(m[dp], m[tp])",
		  "dp: 0,1 2,3; tp: 0,2 1,3" },
		{ "2.14", "m = init(dp=4, ep=2); f = flatten(m, fsdp); concatenate(f, m[ep])",
		  "RuntimeError: Cannot concatenate overlapping meshes: [DeviceMesh((fsdp=8), "
		  "'cuda', "
		  "stride=(1,)), DeviceMesh((ep=2), 'cuda', stride=(1,))]" },
		{ "2.10", "a = init(x=2, y=2); b = init(z=2); concatenate(a, b)",
		  "RuntimeError: Cannot concatenate DeviceMeshes derived from different device "
		  "meshs" },
		{ "2.14", "a = init(x=2, y=2); b = init(z=2); concatenate(a, b)",
		  "RuntimeError: Cannot concatenate DeviceMeshes derived from different device "
		  "meshes" },
	};

	(void)state;
	HOLD(rows);
}

static void initialises_and_finds_groups(void **state)
{
	static const struct row rows[] = {
		{ "2.8", "init(a=2, a=2)",
		  "RuntimeError: ('Each mesh_dim_name must be unique.', \"Found repeated "
		  "mesh_dim_name in "
		  "mesh_dim_names ('a', 'a')\")" },
		{ "2.14", "init(a=2, a=2)",
		  "RuntimeError: Each mesh_dim_name must be unique. Found repeated mesh_dim_name "
		  "in "
		  "mesh_dim_names ('a', 'a')" },
		{ "2.8", "m = init(a=2); init(b=4)",
		  "RuntimeError: Mesh should not be bigger than default world size 2, but found 4 "
		  "ranks!" },
		{ "2.2", "m = init(a=2, b=2); get_group(m)", "a: 0,2 1,3; b: 0,1 2,3" },
		{ "2.3", "m = init(a=4); get_group(m, x)", "a: 0,1,2,3" },
		{ "2.4", "m = init(a=2); init(b=4)",
		  "RuntimeError: Mesh should not be bigger than default world size, but found 4 "
		  "ranks!" },
		{ "2.2", "m = init(a=2); init(b=4)",
		  "RuntimeError: Mesh should not be bigger than default world size, but found 4 "
		  "ranks!" },
		{ "2.8", "m = init(a=2, b=2); get_group(m)",
		  "RuntimeError: ('Found the DeviceMesh have 2 dimensions', 'Optional kwarg "
		  "`mesh_dim` needs "
		  "to be specified when device_mesh.ndim > 1.', 'If you want to get the list of "
		  "all the "
		  "ProcessGroups in the DeviceMesh,please use `get_all_groups()` instead.')" },
		{ "2.8", "m = init(a=2, b=2); get_group(m, b)", "b: 0,1 2,3" },
		{ "2.8", "m = init(a=2, b=2); get_group(m, c)",
		  "KeyError: (\"Mesh dimension 'c' does not exist.\", \"Available mesh dimensions "
		  "are: "
		  "mesh_dim_names=('a', 'b')\")" },
		{ "2.8", "m = init(a=2, b=2, c=2); f = flatten(m[a, b], x); get_group(m, x)",
		  "x: 0,2,4,6 1,3,5,7" },
		{ "2.14", "m = init(a=2, b=2, c=2); f = flatten(m[a, b], x); get_group(m[c], x)",
		  "x: 0,2,4,6 1,3,5,7" },
	};

	(void)state;
	HOLD(rows);
}

/* One 1-D mesh as large as the world up to 2.9, any axis that large from 2.10 on. */
static void default_group_is_reused(void **state)
{
	static const struct {
		const char *torch, *expression;
		int64_t world;
		int axis;
		bool reused;
	} cases[] = {
		{ "2.8", "init(a=8)", 8, 0, true },
		{ "2.8", "init(a=8)", 16, 0, false },
		{ "2.8", "init(a=1, b=8)", 8, 1, false },
		{ "2.10", "init(a=1, b=8)", 8, 1, true },
		{ "2.14", "init(a=1, b=8)", 8, 0, false },
		{ "2.8", "m = init(a=2, b=4); flatten(m, x1)", 8, 0, true },
		{ "2.14", "m = init(a=2, b=4); flatten(m, x1)", 8, 0, true },
	};
	struct torch_world world;
	struct torch_release torch;
	struct mesh_result result;
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(torch_parse(&arena, cases[i].torch, &torch));
		torch_world_init(&world, &arena, torch, cases[i].world);
		result = mesh_evaluate(&world, source_new(&arena, "<test>", cases[i].expression,
							  strlen(cases[i].expression)));
		assert_non_null(result.mesh);
		assert_int_equal(device_mesh_uses_default_group(result.mesh, cases[i].axis),
				 cases[i].reused);
	}
	arena_release(&arena);
}

static void warns_where_pytorch_does(void **state)
{
	static const struct {
		const char *torch, *expression, *start;
	} cases[] = {
		{ "2.9", "m = init(a=2, b=2, c=2); h = m[a, b]; h[b]",
		  "You are attempting to slice a submesh" },
		{ "2.10", "m = init(a=2, b=2, c=2); h = m[a, b]; h[b]", NULL },
		{ "2.8", "m = init(a=2, b=2); f = flatten(m); m[a_b]", NULL },
		{ "2.10", "m = init(a=2, b=2); f = flatten(m); m[a_b]",
		  "Slicing a flattened dim from root" },
		{ "2.14", "m = init(a=2, b=2); f = flatten(m); x = m[a_b]; m[a_b]",
		  "Slicing a flattened dim from root" },
		{ "2.8", "m = init(a=2, b=2, c=2); f = flatten(m[a, c], x1); m[x1]",
		  "(silent) the dims" },
		{ "2.8", "m = init(a=2, b=2, c=2); f = flatten(m[a, b], x1); flatten(m, x1)",
		  "(silent) a mesh named" },
	};
	struct torch_world world;
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		evaluate(&arena, cases[i].torch, 0, cases[i].expression, &world);
		assert_null(world.error.type);
		assert_int_equal(world.warnings.count, cases[i].start ? 1 : 0);
		if (cases[i].start)
			assert_int_equal(strncmp(world.warnings.items[0], cases[i].start,
						 strlen(cases[i].start)),
					 0);
	}
	arena_release(&arena);
}

static void ranks_outside_a_small_mesh_are_in_no_group(void **state)
{
	struct torch_world world;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_string_equal(evaluate(&arena, "2.8", 8, "init(a=2, b=3)", &world),
			    "a: 0,3 1,4 2,5; b: 0,1,2 3,4,5");
	assert_string_equal(evaluate(&arena, "2.14", 8, "init(a=2, b=3)", &world),
			    "a: 0,3 1,4 2,5; b: 0,1,2 3,4,5");
	arena_release(&arena);
}

/* Whatever the version: the groups of an axis hold every rank once. */
static void groups_tile_the_mesh_in_every_version(void **state)
{
	static const char *const versions[] = { "2.5", "2.8", "2.9", "2.10", "2.14" };
	static const char *const expressions[] = {
		"init(a=2, b=3, c=4)",
		"init(a=3, b=1, c=5, d=2)",
		"m = init(a=2, b=3, c=4); flatten(m[a, b], x1)",
		"m = init(a=2, b=3, c=4); flatten(m[a, c], x1)",
		"m = init(a=2, b=3, c=4); f = flatten(m[b, c], x1); m[a, x1]",
		"m = init(a=4, b=1, c=3, d=2); f = flatten(m[b, c], x1); m[a, x1, d]",
	};
	struct torch_release torch;
	struct torch_world world;
	struct mesh_result result;
	struct arena arena;
	size_t v, e;
	int64_t g, m;
	int axis;

	(void)state;
	arena_init(&arena);
	for (v = 0; v < sizeof(versions) / sizeof(*versions); v++)
		for (e = 0; e < sizeof(expressions) / sizeof(*expressions); e++) {
			assert_true(torch_parse(&arena, versions[v], &torch));
			torch_world_init(&world, &arena, torch, 0);
			result = mesh_evaluate(&world, source_new(&arena, "<test>", expressions[e],
								  strlen(expressions[e])));
			assert_non_null(result.mesh);
			for (axis = 0; axis < device_mesh_axes(result.mesh); axis++) {
				int seen[64] = { 0 };
				for (g = 0; g < device_mesh_group_count(result.mesh, axis); g++)
					for (m = 0; m < device_mesh_size(result.mesh, axis); m++)
						seen[device_mesh_group_rank(result.mesh, axis, g,
									    m)]++;
				for (m = 0; m < world.size; m++)
					assert_int_equal(seen[m], 1);
			}
		}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_created_in_order),
		cmocka_unit_test(slices_by_version),
		cmocka_unit_test(flattens_by_version),
		cmocka_unit_test(unflattens_and_concatenates),
		cmocka_unit_test(initialises_and_finds_groups),
		cmocka_unit_test(default_group_is_reused),
		cmocka_unit_test(warns_where_pytorch_does),
		cmocka_unit_test(ranks_outside_a_small_mesh_are_in_no_group),
		cmocka_unit_test(groups_tile_the_mesh_in_every_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
