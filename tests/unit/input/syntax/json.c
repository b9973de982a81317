#include "unit/input/reading.h"

static void trees(void **state)
{
	static const struct tree_case cases[] = {
		{ "{}", "{}", "" },
		{ "[]", "[]", "" },
		{ "\"x\"", "'x'", "" },
		{ "{\"z\": 1, \"a\": [true, false, null, -2.5, 1e3]}",
		  "{z: 1, a: [true, false, null, -2.5f, 1000f]}", "" },
		{ "{\"a\": {\"b\": {}}, \"c\": [[]]}", "{a: {b: {}}, c: [[]]}", "" },
		{ "{\"\\u00e9\": \"\\ud83d\\ude00\\n\"}", "{\xC3\xA9: '\xF0\x9F\x98\x80\n'}", "" },
		{ "\xEF\xBB\xBF{\"a\": 1}", "{a: 1}", "1:1 error syntax-error" },
		{ "9223372036854775808", "'9223372036854775808'", "" },
		{ "{\"a\": 1, \"b\": 2, \"a\": 3}", "{a: 3, b: 2}",
		  "1:18 warning duplicate-key <- 1:2" },
	};

	(void)state;
	check_trees(json_read, cases, COUNT(cases));
}

static void refuses(void **state)
{
	static const struct tree_case cases[] = {
		{ "", "-", "1:1 error syntax-error" },
		{ "{", "-", "1:2 error syntax-error" },
		{ "{\"a\": 1,}", "-", "1:9 error syntax-error" },
		{ "[1, 2,]", "-", "1:7 error syntax-error" },
		{ "{\"a\": NaN}", "-", "1:7 error syntax-error" },
		{ "{\n// x\n}", "-", "2:1 error syntax-error" },
		{ "{\"\xC3\xA9\": \"\\ud800\"}", "-", "1:14 error syntax-error" },
		{ "{\"a\": \"\xE9\"}", "-", "1:8 error syntax-error" },
		{ "{} {}", "-", "1:4 error syntax-error" },
	};

	(void)state;
	check_trees(json_read, cases, COUNT(cases));
}

static void places(void **state)
{
	static const char text[] = "{\"a\": 8,\n \"\xC3\xA9\": [\"\xC3\xA9\", {\"b\": true}]\n}\n";
	static const struct place_case cases[] = {
		{ "a", "key 1:2-1:5, value 1:7-1:8" },
		{ "\xC3\xA9", "key 2:2-2:5, value 2:7-2:25" },
	};
	struct reading reading;

	(void)state;
	check_places(json_read, text, cases, COUNT(cases));
	reading_begin(&reading, json_read, text, strlen(text));
	assert_int_equal(reading.root->span.line, 1);
	assert_int_equal(reading.root->span.end_line, 3);
	assert_int_equal(reading.root->span.end_column, 2);
	reading_end(&reading);
}

static void limits(void **state)
{
	struct reading reading;
	struct buf text;

	(void)state;
	buf_init(&text);
	buf_repeat(&text, '[', 200000);
	reading_begin(&reading, json_read, text.data, text.length);
	assert_string_equal(reading_findings(&reading), "1:101 error too-large");
	reading_end(&reading);
	buf_repeat(&text, ' ', READER_BYTES);
	reading_begin(&reading, json_read, text.data, text.length);
	assert_string_equal(reading_findings(&reading), "1:1 error too-large");
	reading_end(&reading);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees),
		cmocka_unit_test(refuses),
		cmocka_unit_test(places),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
