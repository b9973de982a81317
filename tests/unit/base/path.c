#include "base/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void absolute_paths(void **state)
{
	static const char *const cases[][2] = {
		{ "/a/b", "/a/b" },    { "/a//b/", "/a/b" },	 { "/a/./b", "/a/b" },
		{ "/a/../b", "/b" },   { "/../a", "/a" },	 { "/", "/" },
		{ "/a/..", "/" },      { "/a/b/../../..", "/" }, { "/a/..b", "/a/..b" },
		{ "/a/.b/", "/a/.b" },
	};
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < COUNT(cases); i++)
		assert_string_equal(path_absolute(&arena, cases[i][0]), cases[i][1]);
	assert_string_equal(path_absolute(&arena, "x"),
			    path_join(&arena, path_absolute(&arena, "."), "x"));
	arena_release(&arena);
}

static void relative_paths(void **state)
{
	static const char *const cases[][3] = {
		{ "/a", "/a/b", "b" },	    { "/a/b", "/a", ".." },
		{ "/a/b", "/a/c", "../c" }, { "/a", "/a", "." },
		{ "/", "/a/b", "a/b" },	    { "/a/b/c", "/x", "../../../x" },
		{ "/a", "/ab", "../ab" },   { ".", "a/b.yaml", "a/b.yaml" },
		{ "a", "b", "../b" },	    { "../x", "../x/y.yaml", "y.yaml" },
		{ "/a", "/", ".." },
	};
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < COUNT(cases); i++)
		assert_string_equal(path_relative(&arena, cases[i][0], cases[i][1]), cases[i][2]);
	arena_release(&arena);
}

static void folders_and_names(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_string_equal(path_folder(&arena, "a/b.yaml"), "a");
	assert_string_equal(path_folder(&arena, "b.yaml"), ".");
	assert_string_equal(path_folder(&arena, "/b.yaml"), "/");
	assert_string_equal(path_join(&arena, "a", "b"), "a/b");
	assert_string_equal(path_join(&arena, ".", "b"), "b");
	assert_string_equal(path_join(&arena, "/", "b"), "/b");
	assert_string_equal(path_join(&arena, "a", "/b"), "/b");
	assert_true(path_within("/a", "/a/b"));
	assert_true(path_within("/a", "/a"));
	assert_true(path_within("/", "/a"));
	assert_false(path_within("/a", "/ab"));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absolute_paths),
		cmocka_unit_test(relative_paths),
		cmocka_unit_test(folders_and_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
