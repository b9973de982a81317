#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void integers(void **state)
{
	static const struct {
		const char *text;
		bool good;
		int64_t value;
	} cases[] = {
		{ "0", true, 0 },
		{ "-1", true, -1 },
		{ "+7", true, 7 },
		{ "1048576", true, 1048576 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "9223372036854775808", false, 0 },
		{ "", false, 0 },
		{ "-", false, 0 },
		{ "8 ", false, 0 },
		{ " 8", false, 0 },
		{ "8.0", false, 0 },
		{ "1_000", false, 0 },
		{ "0x10", false, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		int64_t value = 0;
		if (text_to_int(cases[i].text, &value) != cases[i].good)
			fail_msg("'%s' judged wrongly", cases[i].text);
		if (cases[i].good)
			assert_int_equal(value, cases[i].value);
	}
}

static void nearest(void **state)
{
	static const char *const keys[] = { "dp_replicate", "dp_shard", "tp",
					    "pp",	    "cp",	"sequence_parallel" };
	static const struct {
		const char *typed, *want;
	} cases[] = {
		{ "dp_shards", "dp_shard" },
		{ "dp_replciate", "dp_replicate" },
		{ "sequence_paralell", "sequence_parallel" },
		{ "world", NULL },
		{ "x", NULL },
		{ "zz", NULL },
		{ "", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		const char *got = text_nearest(cases[i].typed, keys, COUNT(keys));
		if (!cases[i].want)
			assert_null(got);
		else
			assert_string_equal(got, cases[i].want);
	}
}

static void same_digits(void **state)
{
	static const struct {
		const char *left, *right;
		bool same;
	} cases[] = {
		{ "llama-3-8b", "llama3-8b", true },
		{ "llama3-9b", "llama3-8b", false },
		{ "llama3", "llama", false },
		{ "lama3", "llama3", true },
		{ "", "abc", true },
		{ "", "1", false },
		{ "12", "1x2", true },
		{ "12", "21", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++)
		if (text_same_digits(cases[i].left, cases[i].right) != cases[i].same)
			fail_msg("%s, %s", cases[i].left, cases[i].right);
}

static void joined_lines(void **state)
{
	static const struct {
		const char *text;
		bool all;
		const char *want;
	} cases[] = {
		{ "one", false, "one" },
		{ "Error:\n    a\n    b\n    ", false, "Error: a b" },
		{ "Error: \n    a", false, "Error: a" },
		{ "a\nb\n  c", false, "a\nb c" },
		{ "a\nb\n  c", true, "a b c" },
		{ "\n\n", true, "" },
	};
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < COUNT(cases); i++)
		assert_string_equal(text_join_lines(&arena, cases[i].text, cases[i].all),
				    cases[i].want);
	arena_release(&arena);
}

static void on_one_line(void **state)
{
	static const char plain[] = "a name: \\n, \x1b";
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_ptr_equal(text_on_line(&arena, plain), plain);
	assert_string_equal(text_on_line(&arena, "\na\r\nb\n"), "\\na\\r\\nb\\n");
	arena_release(&arena);
}

static void distances(void **state)
{
	(void)state;
	assert_int_equal(text_distance("tp", "tp", 3), 0);
	assert_int_equal(text_distance("tp", "pt", 3), 1);
	assert_int_equal(text_distance("shard", "shrad", 3), 1);
	assert_int_equal(text_distance("kitten", "sitting", 5), 3);
	assert_int_equal(text_distance("kitten", "sitting", 2), 3);
	assert_int_equal(text_distance("", "abc", 3), 3);
}

static void patterns(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{ "layers.*.attention.wq", "layers.17.attention.wq", true },
		{ "layers.*.attention.wq", "layers.attention.wq", false },
		{ "layers.*", "layers.0.ffn", false },
		{ "*", "output", true },
		{ "output", "outputs", false },
		{ "norm.*", "norm", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++)
		if (text_matches(cases[i].pattern, cases[i].name) != cases[i].matches)
			fail_msg("%s, %s", cases[i].pattern, cases[i].name);
}

static void utf8(void **state)
{
	static const struct {
		const char *text;
		size_t length, bad;
		bool good;
	} cases[] = {
		{ "tp: 8", 5, 0, true },
		{ "gr\xc3\xb6\xc3\x9f", 6, 0, true },
		{ "\xf0\x9f\x98\x80", 4, 0, true },
		{ "a\xff", 2, 1, false },
		{ "ab\xc3", 3, 2, false },
		{ "\xc0\x80", 2, 0, false },
		{ "\xed\xa0\x80", 3, 0, false },
		{ "\xf4\x90\x80\x80", 4, 0, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		size_t bad = 0;
		assert_int_equal(text_is_utf8(cases[i].text, cases[i].length, &bad), cases[i].good);
		if (!cases[i].good)
			assert_int_equal(bad, cases[i].bad);
	}
	assert_int_equal(text_width("gr\xc3\xb6\xc3\x9f", 6), 4);
}

static void counts(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_string_equal(text_count(&arena, 0), "0");
	assert_string_equal(text_count(&arena, 999), "999");
	assert_string_equal(text_count(&arena, 27264000), "27,264,000");
	assert_string_equal(text_count(&arena, -1000), "-1,000");
	assert_string_equal(text_bytes(&arena, 1.25 * (1 << 30)), "1.25 GiB");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),    cmocka_unit_test(nearest),
		cmocka_unit_test(same_digits), cmocka_unit_test(joined_lines),
		cmocka_unit_test(on_one_line), cmocka_unit_test(distances),
		cmocka_unit_test(patterns),    cmocka_unit_test(utf8),
		cmocka_unit_test(counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
