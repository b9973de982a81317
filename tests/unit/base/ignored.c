#include "base/ignored.h"

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Lines of a .gitignore, a path and whether it is left out: gitignore(5). */
static const struct {
	const char *lines, *path;
	bool folder, left_out;
} cases[] = {
	{ "", "a", false, false },	    { "# a\n", "# a", false, false },
	{ "\\# a\n", "# a", false, true },  { "a  \n", "a", false, true },
	{ "a\\ \n", "a ", false, true },    { "a\r\nb\r\n", "a", false, true },
	{ "a/\n", "a", false, false },	    { "a/\n", "a", true, true },
	{ "a/\n", "a/b", false, false }, /* the walk never comes there */
	{ "*\n!b\n", "b", false, false },   { "!b\n*\n", "b", false, true },
	{ "\\!b\n", "!b", false, true },    { "a\\*\n", "ab", false, false },
	{ "a\\*\n", "a*", false, true },    { "/a\n", "x/a", false, false },
	{ "a/b\n", "x/a/b", false, false }, { "a/**/b\n", "a/x/y/b", false, true },
};

static void folder_with(char *folder, const char *lines)
{
	char path[64];
	FILE *file;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/.gitignore", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(lines, file);
	fclose(file);
}

static void test_lines(void **state)
{
	struct arena arena;
	const char *trouble;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char folder[] = "/tmp/ignored-XXXXXX";
		struct ignored *ignored;
		const char *path;
		folder_with(folder, cases[i].lines);
		ignored = ignored_of(&arena, NULL, folder, &trouble);
		path = arena_join(&arena, folder, "/", cases[i].path);
		assert_null(trouble);
		if (ignored_holds(ignored, &arena, path, cases[i].folder) != cases[i].left_out)
			fail_msg("'%s' and '%s'", cases[i].lines, cases[i].path);
		ignored_release(ignored, NULL);
		unlink(arena_join(&arena, folder, "/.gitignore", ""));
		rmdir(folder);
	}
	arena_release(&arena);
}

static void test_without(void **state)
{
	struct arena arena;
	const char *trouble;

	(void)state;
	arena_init(&arena);
	assert_null(ignored_of(&arena, NULL, "/nowhere", &trouble));
	assert_null(trouble);
	assert_false(ignored_holds(NULL, &arena, "/nowhere/a", false));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
