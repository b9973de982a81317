#include "base/glob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct {
	const char *glob, *path;
	bool matches;
} cases[] = {
	{ "*.yaml", "a.yaml", true },
	{ "*.yaml", "x/y/a.yaml", true }, /* no slash: at any depth */
	{ "*.yaml", "a.yaml.bak", false },
	{ "old/", "old/a.yaml", true },
	{ "old/", "x/old/a.yaml", true },
	{ "old", "older/a.yaml", false },
	{ "train/old", "train/old/a.yaml", true }, /* a slash within: from the folder on */
	{ "train/old", "x/train/old/a.yaml", false },
	{ "/a.yaml", "a.yaml", true },
	{ "/a.yaml", "x/a.yaml", false },
	{ "train/*.toml", "train/a.toml", true },
	{ "train/*.toml", "train/x/a.toml", false },
	{ "train/**/a.toml", "train/a.toml", true },
	{ "train/**/a.toml", "train/x/y/a.toml", true },
	{ "train/**", "train/x/y", true },
	{ "train/**", "train", false },
	{ "**/gen/*", "a/b/gen/c", true },
	{ "a?.yaml", "ab.yaml", true },
	{ "a?.yaml", "a/.yaml", false },
	{ "a[0-9].yaml", "a7.yaml", true },
	{ "a[!0-9].yaml", "a7.yaml", false },
	{ "a[!0-9].yaml", "ab.yaml", true },
	{ "a[.yaml", "a[.yaml", true }, /* not closed: itself */
	{ "a.b+c", "a.b+c", true },
	{ "a.b+c", "aXbbc", false },
	{ "a\\d", "a5", false },
	{ "*", "a\xff\xfe.yaml", true }, /* a name that is no UTF-8 */
	{ "a?.yaml", "a\xff.yaml", true },
	{ "old/", "\xc3/old/a.yaml", true },
	{ "**/a.yaml", "x\ny/a.yaml", true },
};

static void matches_paths(void **state)
{
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < COUNT(cases); i++)
		if (glob_matches(&arena, cases[i].glob, cases[i].path) != cases[i].matches)
			fail_msg("%s and %s", cases[i].glob, cases[i].path);
	arena_release(&arena);
}

static void tells_what_is_none(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_null(glob_trouble(&arena, "**/*.yaml"));
	assert_non_null(glob_trouble(&arena, ""));
	assert_non_null(glob_trouble(&arena, "[z-a]"));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches_paths),
		cmocka_unit_test(tells_what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
