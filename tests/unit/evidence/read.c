/*
 * What is read of dumps, traces and checkpoints: testdata/evidence/told/NAME.txt says it of the
 * file NAME in testdata/evidence ('+' stands for '/'). UPDATE=1 writes what is there already anew.
 */
#include "unit/evidence/told.h"

#include "base/io.h"

#include "unit/evidence/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#define TOLD "testdata/evidence/told/"

/* "testdata/evidence/recorder/rank_1" of ".../told/recorder+rank_1.txt"; dcp/ lies beside
 * evidence/. */
static char *sample_of(const char *expected)
{
	const char *name = expected + strlen(TOLD);
	char *path = arena_printf(&arena, "testdata/%s%s",
				  strncmp(name, "dcp+", 4) ? "evidence/" : "", name);
	char *at;

	path[strlen(path) - strlen(".txt")] = '\0';
	for (at = path; *at; at++)
		if (*at == '+')
			*at = '/';
	return path;
}

static void tells(const char *expected)
{
	const char *why, *text;
	struct io_text want;

	evidence_init(&capture, &arena);
	why = evidence_read(&capture, sample_of(expected));
	text = why ? arena_join(&arena, why, "\n", "") : told(&arena, &capture);
	if (getenv("UPDATE"))
		assert_null(io_write(&arena, expected, text, strlen(text)));
	want = io_read(&arena, expected, 1 << 20);
	if (want.text && strcmp(text, want.text) != 0)
		print_error("%s differs\n", expected);
	assert_string_equal(text, want.text);
}

static void samples(void **state)
{
	glob_t found;
	size_t i;

	(void)state;
	assert_int_equal(glob(TOLD "*.txt", 0, NULL, &found), 0);
	for (i = 0; i < found.gl_pathc; i++)
		tells(found.gl_pathv[i]);
	assert_true(found.gl_pathc > 0);
	globfree(&found);
}

/* The same whether packed or not. */
static void packed(void **state)
{
	const char *plain;

	(void)state;
	assert_null(evidence_read(&capture, "testdata/evidence/recorder/rank_1"));
	plain = told(&arena, &capture);
	evidence_init(&capture, &arena);
	assert_null(evidence_read(&capture, "testdata/evidence/packed/rank_1.gz"));
	assert_string_equal(told(&arena, &capture), plain);
}

/* Half of a packed file is read, and told to be half. */
static void packed_and_cut(void **state)
{
	(void)state;
	assert_null(evidence_read(&capture, "testdata/evidence/packed/cut_1.json.gz"));
	assert_true(capture.files.items[0].records > 0);
	assert_int_equal(capture.limits.count, 2);
	assert_string_equal(capture.limits.items[1].text, "gzip could not unpack all of it");
}

static void without_a_program(void **state)
{
	const char *path = arena_strdup(&arena, getenv("PATH")), *why;

	(void)state;
	assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
	why = evidence_read(&capture, "testdata/evidence/packed/rank_1.zst");
	assert_int_equal(setenv("PATH", path, 1), 0);
	assert_non_null(strstr(why, "zstd, which unpacks it, cannot be run: install it"));
}

/* Files in the order of their numbers; one that is of no kind hides no other. */
static void folders(void **state)
{
	static const char *const names[] = { "active_1", "cut_1",  "cut_1.json",    "json_1.json",
					     "old_0",	 "rank_1", "wrapped.pickle" };
	size_t i;

	(void)state;
	assert_null(evidence_read(&capture, "testdata/evidence/recorder"));
	assert_int_equal(capture.files.count, sizeof(names) / sizeof(*names));
	for (i = 0; i < capture.files.count; i++)
		assert_string_equal(strrchr(capture.files.items[i].path, '/') + 1, names[i]);
	evidence_init(&capture, &arena);
	assert_null(evidence_read(&capture, "testdata/evidence/packed"));
	assert_string_equal(evidence_read(&capture, "testdata/evidence/no-such"),
			    "No such file or directory");
	assert_non_null(strstr(evidence_read(&capture, "testdata/pickle"), "of a kind"));
	assert_non_null(strstr(evidence_read(&capture, "testdata/evidence/told"), "of a kind"));
	assert_non_null(strstr(evidence_read(&capture, "README.md"), "is not of a kind"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(samples, begin_capture, end),
		cmocka_unit_test_setup_teardown(packed, begin_capture, end),
		cmocka_unit_test_setup_teardown(packed_and_cut, begin_capture, end),
		cmocka_unit_test_setup_teardown(without_a_program, begin_capture, end),
		cmocka_unit_test_setup_teardown(folders, begin_capture, end),
	};

	return cmocka_run_group_tests_name("evidence/read", tests, NULL, NULL);
}
