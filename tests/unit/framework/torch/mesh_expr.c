#include "framework/torch/mesh_expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static struct mesh_result evaluate(struct arena *arena, const char *text, struct torch_world *world)
{
	torch_world_init(world, arena, torch_latest(), 0);
	return mesh_evaluate(world, source_new(arena, "<test>", text, strlen(text)));
}

static void mistakes_are_found_where_they_are(void **state)
{
	static const struct {
		const char *text;
		unsigned int line, column;
		const char *problem; /* its beginning */
	} cases[] = {
		{ "", 1, 1, "there is no expression here" },
		{ " ; \n;", 2, 2, "there is no expression here" },
		{ "m", 1, 1, "there is no mesh 'm' here" },
		{ "mesh = init(a=2); mseh[a]", 1, 19,
		  "there is no mesh 'mseh' here; did you mean 'mesh'?" },
		{ "inti(a=2)", 1, 1, "there is no function 'inti' here; did you mean 'init'?" },
		{ "init()", 1, 6, "an axis is given as NAME=SIZE" },
		{ "init(a)", 1, 7, "an axis is given as NAME=SIZE" },
		{ "init(a=)", 1, 8, "a size is a whole number from 1 on" },
		{ "init(a=0)", 1, 8, "a size is a whole number from 1 on" },
		{ "init(a=2.5)", 1, 9, "this character means nothing here" },
		{ "init(a=99999999999999999999)", 1, 8, "a size is a whole number from 1 on" },
		{ "init(a=4000000000, b=4000000000)", 1, 32,
		  "the product of these sizes is beyond 64 bits" },
		{ "init(a=2, b=4", 1, 14, "')' or ',' is missing here" },
		{ "init(a=2, b=4) x", 1, 16, "';' belongs between expressions" },
		{ "m = init(a=2)\nm[", 2, 3, "a name of an axis belongs here" },
		{ "m = init(a=2); m[a", 1, 19, "']' or ',' is missing here" },
		{ "m = init(a=2); m[[a]", 1, 21, "']' or ',' is missing here" },
		{ "m = init(a=2); m['a]", 1, 18, "this quote is not closed" },
		{ "m = init(a=2); m['']", 1, 18, "a name of an axis belongs here" },
		{ "m = init(a=2); get_group(m)[a]", 1, 16, "a process group cannot be sliced" },
		{ "m = init(a=2); flatten(get_group(m), x)", 1, 24, "a mesh belongs here" },
		{ "m = init(a=2); flatten(m, x, y)", 1, 28, "')' is missing here" },
		{ "m = init(a=2); unflatten(m, b, c=2)", 1, 29,
		  "the mesh has no axis of this name" },
		{ "m = init(a=2); unflatten(m, a)", 1, 30,
		  "unflatten(MESH, AXIS, NAME=SIZE, ...) needs" },
		{ "m = init(a=2); \"m\"[a]", 1, 16, "a mesh belongs here" },
		{ "init(a=1, b=1, c=1, d=1, e=1, f=1, g=1, h=1, i=1)", 1, 49,
		  "meshes of at most 8 axes" },
		{ "m = init(a=2); \xc3\xa9", 1, 16, "this character means nothing here" },
	};
	struct mesh_result result;
	struct torch_world world;
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		result = evaluate(&arena, cases[i].text, &world);
		if (!result.problem ||
		    strncmp(result.problem, cases[i].problem, strlen(cases[i].problem)) != 0 ||
		    result.span.line != cases[i].line || result.span.column != cases[i].column)
			print_error("%s: %s at %u:%u\n", cases[i].text,
				    result.problem ? result.problem : "-", result.span.line,
				    result.span.column);
		assert_non_null(result.problem);
		assert_int_equal(
			strncmp(result.problem, cases[i].problem, strlen(cases[i].problem)), 0);
		assert_int_equal(result.span.line, cases[i].line);
		assert_int_equal(result.span.column, cases[i].column);
		assert_null(result.mesh);
	}
	arena_release(&arena);
}

static void spellings_that_mean_the_same(void **state)
{
	static const char *const texts[] = {
		"m = init(a=2, b=4); m[b]",
		"m=init(a=2,b=4);m[b];",
		"m = init(a=2, b=4)\nm[b]\n",
		"init(a=2, b=4)[b]",
		"((init(a=2, b=4)))['b']",
		"m = init(\n\ta = 2, # nodes\n\t\"b\" = 4\n)\nm[\n'b'\n]",
		"# a comment; with a semicolon\nm = init(a=2, b=4); n = m; n[\"b\"]",
		"m = init(x=8); m = init(a=2, b=4); m[b]",
	};
	struct mesh_result result;
	struct torch_world world;
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		result = evaluate(&arena, texts[i], &world);
		assert_null(result.problem);
		assert_null(world.error.type);
		assert_int_equal(world.size, 8);
		assert_int_equal(device_mesh_axes(result.mesh), 1);
		assert_string_equal(device_mesh_name(result.mesh, 0), "b");
		assert_int_equal(device_mesh_group_rank(result.mesh, 0, 1, 0), 4);
	}
	arena_release(&arena);
}

/* The span of an exception is that of the innermost call that raised. */
static void exceptions_have_a_place(void **state)
{
	static const struct {
		const char *text;
		unsigned int column, end;
	} cases[] = {
		{ "m = init(a=2, b=4); m[c]", 21, 25 },
		{ "m = init(a=2, b=4); flatten(m[c], x)", 29, 33 },
		{ "m = init(a=2, b=4); flatten(m, a)", 21, 34 },
		{ "m = init(a=2, a=4)", 5, 19 },
		{ "m = init(a=2, b=4); m[a][b][c]", 21, 28 },
	};
	struct mesh_result result;
	struct torch_world world;
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		result = evaluate(&arena, cases[i].text, &world);
		assert_null(result.problem);
		assert_non_null(world.error.type);
		assert_int_equal(result.span.column, cases[i].column);
		assert_int_equal(result.span.end_column, cases[i].end);
	}
	arena_release(&arena);
}

static void depth_and_length_are_limited(void **state)
{
	enum { LONG = 70 * 1024 };
	struct mesh_result result;
	struct torch_world world;
	struct arena arena;
	char *text;

	(void)state;
	arena_init(&arena);
	text = arena_alloc(&arena, LONG + 1);
	memset(text, '(', 100);
	result = evaluate(&arena, text, &world);
	assert_string_equal(result.problem, "expressions go at most 64 levels deep");
	memset(text, ' ', LONG);
	result = evaluate(&arena, text, &world);
	assert_string_equal(result.problem, "expressions are at most 64 KiB long");
	arena_release(&arena);
}

/* Beyond eight axes nothing is modelled: an error of ours, not PyTorch's. */
static void limits_are_told_apart(void **state)
{
	struct torch_world world;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	evaluate(&arena,
		 "m = init(a=1, b=1, c=1, d=1, e=1, f=1, g=1, h=4); unflatten(m, h, i=2, j=2)",
		 &world);
	assert_non_null(world.error.type);
	assert_true(world.error.limit);
	evaluate(&arena, "m = init(a=4); m[b]", &world);
	assert_false(world.error.limit);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistakes_are_found_where_they_are),
		cmocka_unit_test(spellings_that_mean_the_same),
		cmocka_unit_test(exceptions_have_a_place),
		cmocka_unit_test(depth_and_length_are_limited),
		cmocka_unit_test(limits_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
