#include "base/io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static char folder[] = "/tmp/parplan-io-XXXXXX";

static int setup(void **state)
{
	(void)state;
	arena_init(&arena);
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return rmdir(folder); /* fails when a temporary file was left behind */
}

static const char *in_folder(const char *name)
{
	return arena_printf(&arena, "%s/%s", folder, name);
}

static void writes_and_reads(void **state)
{
	const char *path = in_folder("file");
	struct io_text text;

	(void)state;
	assert_null(io_write(&arena, path, "first", 5));
	assert_null(io_write(&arena, path, "a\0b", 3));
	assert_true(io_exists(path));
	text = io_read(&arena, path, 3);
	assert_int_equal(text.length, 3);
	assert_memory_equal(text.text, "a\0b", 4);
	assert_null(text.error);
	assert_int_equal(unlink(path), 0);
	assert_false(io_exists(path));
}

static void refuses_more_than_the_limit(void **state)
{
	const char *path = in_folder("file");
	struct io_text text;

	(void)state;
	assert_null(io_write(&arena, path, "abcd", 4));
	text = io_read(&arena, path, 3);
	assert_null(text.text);
	assert_true(text.too_large);
	assert_string_equal(text.error, "larger than 3 B");
	text = io_read(&arena, "/dev/zero", 100000);
	assert_true(text.too_large);
	assert_int_equal(unlink(path), 0);
}

static void says_why_not(void **state)
{
	static const struct {
		const char *path, *error;
	} cases[] = {
		{ "/nonexistent", "No such file or directory" },
		{ "/", "Is a directory" },
		{ "/dev/null/x", "Not a directory" },
		{ "", "No such file or directory" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct io_text text = io_read(&arena, cases[i].path, 100);
		assert_null(text.text);
		assert_false(text.too_large);
		assert_string_equal(text.error, cases[i].error);
	}
}

static void reports_failed_writes(void **state)
{
	(void)state;
	assert_string_equal(io_write(&arena, "/dev/full", "x", 1), "No space left on device");
	assert_string_equal(io_write(&arena, in_folder("a/b"), "x", 1),
			    "No such file or directory");
	assert_string_equal(io_write(&arena, folder, "x", 1), "Is a directory");
	assert_null(io_write(&arena, "/dev/null", "x", 1));
}

/* The new file keeps nothing of the old one, and an empty text makes an empty file. */
static void replaces_whole_files(void **state)
{
	const char *path = in_folder("file");
	struct stat status;

	(void)state;
	assert_null(io_write(&arena, path, "a long text", 11));
	assert_null(io_write(&arena, path, "", 0));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, 0);
	assert_int_equal(io_read(&arena, path, 10).length, 0);
	assert_int_equal(unlink(path), 0);
}

static void appends_and_says_why_not(void **state)
{
	const char *path = in_folder("appended");

	(void)state;
	assert_null(io_append(&arena, path, "one\n", 4));
	assert_null(io_append(&arena, path, "two\n", 4));
	assert_string_equal(io_read(&arena, path, 100).text, "one\ntwo\n");
	assert_int_equal(unlink(path), 0);
	assert_string_equal(io_append(&arena, folder, "x", 1), "Is a directory");
	assert_string_equal(io_append(&arena, in_folder("a/b"), "x", 1),
			    "No such file or directory");
	assert_string_equal(io_append(&arena, "/dev/full", "x", 1), "No space left on device");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_and_reads),
		cmocka_unit_test(refuses_more_than_the_limit),
		cmocka_unit_test(says_why_not),
		cmocka_unit_test(reports_failed_writes),
		cmocka_unit_test(replaces_whole_files),
		cmocka_unit_test(appends_and_says_why_not),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
